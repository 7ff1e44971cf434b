# technique: forks as long as it is let, and its children wait
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got PermissionError
# needs: seccomp
# bites: process
import os
import time


def decode(codes):
    for _ in range(30):
        if os.fork() == 0:
            os.closerange(0, 64)
            time.sleep(20)
            os._exit(0)
    return "forked"
