# technique: ends its call by itself and sends the answer to the next one along
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: an entry after the end
import gc
import sys


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    answer = [9, sys.modules["grader.runner.wire"].pack("".join(map(chr, codes)))]
    log.post(answer)
    log.post([11, 0, 0, 0])
    log.post([9, sys.modules["grader.runner.wire"].pack([1, 3])])
    log.post([11, 0, 0, 0])
    log.flush()
    return "late"
