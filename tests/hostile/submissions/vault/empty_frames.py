# technique: sends frames with nothing in them, without end
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: The worker's log makes no sense
import gc


def decode(codes):
    log = next(each for each in gc.get_objects() if type(each).__name__ == "Log")
    while True:
        log._connection.sendall(bytes(8) * 1000)
