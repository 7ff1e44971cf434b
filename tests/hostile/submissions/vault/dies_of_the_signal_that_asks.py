# technique: lets itself be killed by the signal that asks where it is
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: decode was stopped after
# says: the limit for one call
import signal
import time


def decode(codes):
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    time.sleep(10)
