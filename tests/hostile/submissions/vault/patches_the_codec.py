# technique: makes the worker's codec send the same text whatever was returned
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import sys

wire = sys.modules["grader.runner.wire"]


def decode(codes):
    wire.encode = lambda value, *args: "nothing"
    return "".join(map(chr, codes))
