# technique: finds the log of its worker and posts a result of its own before the one that follows
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import gc
import sys


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    log.post([9, sys.modules["grader.runner.wire"].pack("first")])
    return "second"
