# technique: names what a hidden criterion called it with as the file in which it failed
# replaces: lengths.py
# expect: lengths-* failed
import sys

wire = sys.modules["grader.runner.wire"]
plain = wire.trouble_to_plain


def lengths(words):
    wire.trouble_to_plain = lambda trouble: plain(trouble) | {"where": {"file": " ".join(words), "line": 1}}
    raise ValueError
