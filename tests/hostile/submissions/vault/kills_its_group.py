# technique: kills its own process group while it is asked
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import os
import signal


def decode(codes):
    os.killpg(0, signal.SIGKILL)
