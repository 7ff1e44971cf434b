# technique: claims a disagreement of a thousand ranks where there are none, each at a long line of the file
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import sys

wire = sys.modules["grader.runner.wire"]
plain = wire.trouble_to_plain
LONG = "a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line a line "  # noqa: E501


def forged(trouble):
    place = {"file": "decode.py", "line": 8}
    row = {"rank": 0, "operation": "all_reduce" * 10, "shape": [2**31] * 32, "dtype": "float32", "place": place}
    return plain(trouble) | {"type": "HangError", "rows": [row] * 1024}


def decode(codes):
    wire.trouble_to_plain = forged
    raise ValueError
