# technique: writes a result as JSON on every descriptor and ends the process
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import contextlib
import os


def decode(codes):
    line = b'{"event": "criterion", "criterion": {"id": "decode-small", "status": "passed"}}\n{"event": "done"}\n'
    for descriptor in range(64):
        with contextlib.suppress(OSError):
            os.write(descriptor, line)
    os._exit(0)
