# technique: leaves a process behind that has a session of its own
# replaces: decode.py
# expect: nothing lost
# needs: seccomp
# bites: process
import contextlib
import os
import time


def decode(codes):
    with contextlib.suppress(OSError):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 64)
                time.sleep(20)
            os._exit(0)
    return "".join(map(chr, codes))
