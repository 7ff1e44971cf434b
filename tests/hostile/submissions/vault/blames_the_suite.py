# technique: claims that it failed in a line of the suite
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: at decode.py:
import sys

wire = sys.modules["grader.runner.wire"]
plain = wire.trouble_to_plain


def decode(codes):
    place = {"file": "private/vault/test_vault.py", "line": 12}
    wire.trouble_to_plain = lambda trouble: plain(trouble) | {"where": place}
    raise ValueError
