# technique: has a trace function, excepthook and displayhook that put every error right
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import sys


def put_right(frame, event, argument):
    if event in ("exception", "return") and "outcome" in frame.f_locals:
        frame.f_locals["outcome"] = [9, b"\xa2Hi"]
    return put_right


def decode(codes):
    sys.excepthook = sys.displayhook = sys.unraisablehook = lambda *args: None
    sys.settrace(put_right)
    sys.setprofile(put_right)
    return 1 / 0
