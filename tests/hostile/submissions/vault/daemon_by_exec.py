# technique: starts another program that goes on, by the way round the audit hooks
# replaces: decode.py
# expect: nothing lost
# needs: seccomp
# bites: process
import contextlib
import os
import subprocess


def decode(codes):
    with contextlib.suppress(OSError), open(os.devnull, "r+b") as nothing:
        subprocess.Popen(["/bin/sleep", "20"], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
    return "".join(map(chr, codes))
