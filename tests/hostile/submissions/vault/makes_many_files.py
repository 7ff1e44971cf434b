# technique: makes files and folders until there are no inodes left
# replaces: decode.py
# expect: nothing lost
# needs: landlock
# bites: file
import contextlib
import os


def decode(codes):
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "@HERE@"):
        with contextlib.suppress(OSError):
            os.mkdir(f"{folder}/@MARK@-folder")
            for number in range(200):
                os.close(os.open(f"{folder}/@MARK@-folder/{number}", os.O_CREAT))
    return "".join(map(chr, codes))
