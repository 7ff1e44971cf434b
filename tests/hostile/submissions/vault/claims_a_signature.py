# technique: is no function but an object with a signature of its own making
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got decode(p0, p1,
import inspect


class Callable:
    __signature__ = inspect.Signature([inspect.Parameter(f"p{n}", 1) for n in range(30_000)])

    def __call__(self, one, two, three):
        return ""


decode = Callable()
