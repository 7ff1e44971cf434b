# technique: sends a frame byte by byte, so that there is always something new
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: decode was stopped after
# says: the limit for one call
import gc
import time


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    log._connection.sendall(b"\x00\x00\x10\x00\x00\x00\x00\x00")
    while True:
        log._connection.sendall(b"\x90")
        time.sleep(0.001)
