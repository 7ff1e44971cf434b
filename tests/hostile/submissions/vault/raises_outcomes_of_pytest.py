# technique: takes the import guard away and raises pytest's own outcomes, or classes of their names
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got Skipped: not today
import sys


def outcome(name):
    sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "ImportGuard"]
    try:
        from _pytest import outcomes
    except (ImportError, OSError):
        return type(name, (BaseException,), {"__module__": "_pytest.outcomes"})
    return getattr(outcomes, name)


def decode(codes):
    raise outcome("Skipped")("not today")
