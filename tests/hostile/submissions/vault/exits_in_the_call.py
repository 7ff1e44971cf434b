# technique: ends the process with a code that says all is well
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: The code ended its process with exit code 0 instead of returning.
import os


def decode(codes):
    os._exit(0)
