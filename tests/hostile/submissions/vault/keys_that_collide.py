# technique: posts a dict of large integers that all have the same hash
# replaces: lengths.py
# expect: lengths-* failed
# says: The worker's log makes no sense
import sys

import msgpack

PRIME = 2**61 - 1
PAIRS = [[msgpack.ExtType(2, str(PRIME * number).encode()), 0] for number in range(36_000)]
wire = sys.modules["grader.runner.wire"]
pack, wire.HEADER_LIMIT = wire.pack, 2**30
collide = pack(msgpack.ExtType(7, pack(PAIRS)))
wire.pack = lambda value: collide if value == "collide" else pack(value)


def lengths(words):
    return "collide"
