# technique: names what a hidden criterion called it with as the collective that a rank waits in
# replaces: lengths.py
# expect: lengths-* failed
import sys

wire = sys.modules["grader.runner.wire"]
plain = wire.trouble_to_plain


def lengths(words):
    row = {"rank": 0, "operation": " ".join(words), "shape": None, "dtype": None, "place": None}
    wire.trouble_to_plain = lambda trouble: plain(trouble) | {"type": "HangError", "rows": [row]}
    raise ValueError
