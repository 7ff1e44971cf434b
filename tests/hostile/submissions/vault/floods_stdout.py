# technique: prints without end
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: Printed more than 8 MiB in one call.
import os


def decode(codes):
    while True:
        os.write(2, b"x" * 2**16)
