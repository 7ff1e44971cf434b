# technique: takes the import guard away and looks for the suites and what grades, beside the package it may import
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# needs: landlock
# says: nothing to be read
import contextlib
import os
from pathlib import Path

import grader


def decode(codes):
    found = []
    for folder in grader.__path__:
        for name in ("suites", "suites/lesson10", "suites/lesson10/reference", "cli", "report"):
            with contextlib.suppress(OSError):
                found += os.listdir(Path(folder, name))
        with contextlib.suppress(OSError):
            found.append(Path(folder, "suites/lesson10/reference/shard.py").read_text())
    print(found or "nothing to be read")
    return found
