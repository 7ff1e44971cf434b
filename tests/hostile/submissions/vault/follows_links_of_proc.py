# technique: gets at folders through the links that /proc keeps of other processes
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# needs: landlock
# bites: reads
import contextlib
import os


def decode(codes):
    texts = []
    for base in (f"/proc/{os.getppid()}/root", "/proc/self/root", "/proc/self/cwd", "/proc/1/root"):
        with contextlib.suppress(OSError), open(f"{base}@HOME@/secret.txt") as file:
            texts.append(file.read())
    print(texts)
    return texts
