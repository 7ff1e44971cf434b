# technique: posts values that are no plain data: a time, bytes, an extension
# replaces: lengths.py
# expect: lengths-* failed
# says: The worker's log makes no sense
import sys

wire = sys.modules["grader.runner.wire"]
pack = wire.pack
wire.pack = lambda value: b"\x92\xd6\xff\x00\x00\x00\x01\xc4\x01x" if value == "other" else pack(value)


def lengths(words):
    return "other"
