# technique: reads memory at address 0
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: crashed the Python interpreter (SIGSEGV)
# says: at decode.py:10
import ctypes


def decode(codes):
    return ctypes.string_at(0)
