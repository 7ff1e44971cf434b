# technique: posts a list a thousand lists deep, which no honest worker would send
# replaces: lengths.py
# expect: lengths-* failed
import sys

wire = sys.modules["grader.runner.wire"]
pack = wire.pack
wire.pack = lambda value: b"\x91" * 1000 + b"\x90" if value == "nested" else pack(value)


def lengths(words):
    return "nested"
