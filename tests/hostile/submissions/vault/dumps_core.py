# technique: crashes with core files switched on, in a folder where everyone may write
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: crashed the Python interpreter (SIGABRT)
import contextlib
import os
import resource


def decode(codes):
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with contextlib.suppress(OSError):
        os.chdir("/tmp")
    os.abort()
