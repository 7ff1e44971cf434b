# technique: writes bytes that are no frame on every descriptor, while its main thread answers
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import contextlib
import os
import threading


def scribble():
    for descriptor in range(3, 12):
        with contextlib.suppress(OSError):
            os.write(descriptor, bytes(range(256)) * 16)


def decode(codes):
    thread = threading.Thread(target=scribble)
    thread.start()
    thread.join()
    return ""
