# technique: lets itself be killed by the signal that asks where it is
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: gather was stopped after
# says: the limit for one call
import signal
import time


def gather(piece, group):
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    time.sleep(10)
