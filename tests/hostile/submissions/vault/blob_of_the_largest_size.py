# technique: hangs the largest blob that is let through on entries that take none
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import gc


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    for _ in range(3):
        log.post([8, 0, None, [1, 0, [1]]], bytes(64 * 2**20))
    return ""
