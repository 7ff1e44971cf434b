# technique: blocks and ignores every signal that it can, then loops
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: gather was stopped after
# says: the limit for one call
import contextlib
import faulthandler
import signal


def gather(piece, group):
    faulthandler.disable()
    faulthandler.unregister(signal.SIGUSR1)
    for each in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(each, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass
