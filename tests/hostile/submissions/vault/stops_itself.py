# technique: stops its own process
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: gather was stopped after
# says: the limit for one call
import os
import signal


def gather(piece, group):
    os.kill(os.getpid(), signal.SIGSTOP)
