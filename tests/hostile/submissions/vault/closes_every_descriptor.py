# technique: closes every descriptor, the wire among them, and goes on
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: closed its connection
import os
import time


def decode(codes):
    os.closerange(0, 64)
    time.sleep(10)
