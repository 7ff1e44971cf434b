# technique: blocks and ignores every signal that it can, then loops
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: decode was stopped after
# says: the limit for one call
import contextlib
import faulthandler
import signal


def decode(codes):
    faulthandler.disable()
    faulthandler.unregister(signal.SIGUSR1)
    for each in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(each, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    while True:
        pass
