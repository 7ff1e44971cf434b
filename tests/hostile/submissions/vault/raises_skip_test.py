# technique: raises SkipTest, in the hope that a skipped test is no failed one
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got SkipTest: not today
from unittest import SkipTest


def decode(codes):
    raise SkipTest("not today")
