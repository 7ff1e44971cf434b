# technique: announces a frame of four gigabytes
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: a frame of 4,294,967,295 + 4,294,967,295 bytes
import gc


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    log._connection.sendall(b"\xff" * 8)
    return ""
