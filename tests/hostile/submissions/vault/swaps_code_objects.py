# technique: puts other code into the functions that serve calls, while they run
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import gc


def nothing(self, *args):
    return "passed"


def decode(codes):
    session = next(each for each in gc.get_objects() if type(each).__name__ == "Session")
    for each in vars(type(session)).values():
        if callable(each) and each.__name__ in ("array", "group", "given", "_keep"):
            each.__code__ = nothing.__code__
    return "swapped"
