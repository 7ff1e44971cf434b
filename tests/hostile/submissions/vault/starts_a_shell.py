# technique: runs commands
# replaces: decode.py
# expect: nothing lost
# needs: seccomp
# bites: file
import os


def decode(codes):
    os.system("touch @HERE@/hostile-shell 2>&1 >/dev/null")
    return "".join(map(chr, codes))
