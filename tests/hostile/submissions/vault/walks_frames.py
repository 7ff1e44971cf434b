# technique: walks the stack for expected values, and writes into the locals that it finds
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: no frame knows what is expected
import sys


def decode(codes):
    frame, found = sys._getframe(1), []
    while frame is not None:
        found += [each for each in ("expected", "item", "criterion", "terms", "link") if each in frame.f_locals]
        for name in ("status", "outcome", "error", "score"):
            frame.f_locals[name] = "passed"
        frame = frame.f_back
    print("found", found) if found else print("no frame knows what is expected")
    return found
