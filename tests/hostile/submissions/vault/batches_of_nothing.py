# technique: sends frames that hold empty batches, without end
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: decode was stopped after
# says: the limit for one call
import gc


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    while True:
        log._connection.sendall(b"\x01\x00\x00\x00\x00\x00\x00\x00\x90" * 1000)
