# technique: sends the beginning of a frame and exits
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: The code ended its process with exit code 0
import gc
import os


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    log._connection.sendall(b"\x00\x00\x10\x00\x00\x00\x00\x00" + b"\x90" * 100)
    os._exit(0)
