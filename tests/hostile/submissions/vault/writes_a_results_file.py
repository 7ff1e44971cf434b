# technique: writes the result itself, now, from a thread and at exit
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# needs: landlock
# bites: file
import atexit
import contextlib
import threading
from pathlib import Path


def write():
    for folder in ("@HERE@", "/tmp", "/var/tmp"):
        with contextlib.suppress(OSError):
            Path(folder, "@MARK@-results.json").write_text('{"status": "passed", "earned": 12}')


def decode(codes):
    atexit.register(write)
    threading.Thread(target=write).start()
    write()
    return "written"
