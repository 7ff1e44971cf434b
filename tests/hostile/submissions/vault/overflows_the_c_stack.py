# technique: recurses in C until the stack is full
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: crashed the Python interpreter (SIGSEGV)
import sys


class Nested:
    def __getattr__(self, name):
        return getattr(self, name)


def decode(codes):
    sys.setrecursionlimit(10**9)
    return Nested().anything
