# technique: imports what grades and the suites' own modules, and asks them for the verdict
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import sys


def decode(codes):
    sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "ImportGuard"]
    for name in ("pytest", "grader.runner.recorder", "grader.runner.trusted", "grader.suites.lesson10.checks"):
        try:
            module = __import__(name, fromlist=["*"])
        except BaseException:
            continue
        for each, value in list(vars(module).items()):
            if callable(value):
                setattr(module, each, lambda *args, **kwargs: "passed")
    return "imported"
