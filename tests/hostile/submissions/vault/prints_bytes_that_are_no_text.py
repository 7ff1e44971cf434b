# technique: writes bytes that are no UTF-8, past Python's own stream
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import os


def decode(codes):
    os.write(1, bytes(range(256)) * 20 + b"\xed\xa0\x80\xf8\x88\x80\x80\x80")
    return ""
