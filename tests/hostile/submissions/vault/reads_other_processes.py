# technique: reads environments, command lines and memory of every process that it may
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# needs: landlock
import contextlib
import os


def decode(codes):
    for process in filter(str.isdigit, os.listdir("/proc")):
        for name in ("environ", "cmdline"):
            with contextlib.suppress(OSError), open(f"/proc/{process}/{name}", "rb") as file:
                content = file.read()
                print(process, name, content[:200] if b"cassowary" not in content else content[-4000:])
    return "read"
