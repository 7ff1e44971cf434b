# technique: stops its own process
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: decode was stopped after
# says: the limit for one call
import os
import signal


def decode(codes):
    os.kill(os.getpid(), signal.SIGSTOP)
