# technique: raises what ends a whole pytest session with success
# replaces: lengths.py
# expect: lengths-* failed
# says: got Exit
import sys


def exit_session():
    sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "ImportGuard"]
    try:
        import pytest
    except (ImportError, OSError):
        return type("Exit", (Exception,), {})()
    return pytest.exit.Exception("enough", 0)


def lengths(words):
    raise exit_session()
