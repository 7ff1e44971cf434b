# technique: claims a disagreement of ranks and puts terminal escapes into every column of its table
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import sys

wire = sys.modules["grader.runner.wire"]
plain = wire.trouble_to_plain


def forged(trouble):
    place = {"file": "\x1b[31m", "line": -5}
    row = {"rank": 1, "operation": "\x1b[1A\u202e", "shape": [2], "dtype": "\x1b[2J\u202e", "place": place}
    return plain(trouble) | {"type": "HangError\x1b", "bases": ["HangError"], "rank": -1, "rows": [row]}


def decode(codes):
    wire.trouble_to_plain = lambda trouble: forged(trouble) | {"type": "HangError"}
    raise ValueError("\x1b[2J")
