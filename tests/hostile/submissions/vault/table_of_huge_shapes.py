# technique: claims a disagreement of ranks, with shapes of many thousand dimensions
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import sys

wire = sys.modules["grader.runner.wire"]
plain = wire.trouble_to_plain


def forged(trouble):
    row = {"rank": 2**60, "operation": "all_reduce", "shape": [2**31] * 60_000, "dtype": "float32", "place": None}
    return plain(trouble) | {"type": "HangError", "rows": [row, row]}


def decode(codes):
    wire.trouble_to_plain = forged
    raise ValueError
