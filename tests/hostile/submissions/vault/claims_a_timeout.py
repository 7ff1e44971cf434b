# technique: claims a kind of trouble that only the trusted side finds
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: a trouble of kind timeout
import sys

wire = sys.modules["grader.runner.wire"]
plain = wire.trouble_to_plain


def decode(codes):
    wire.trouble_to_plain = lambda trouble: plain(trouble) | {"kind": "timeout", "text": "the grader was too slow"}
    raise ValueError
