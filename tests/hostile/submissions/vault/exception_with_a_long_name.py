# technique: raises an exception whose class has a name of two megabytes
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got EEEE
def decode(codes):
    raise type("E" * 2_000_000, (Exception,), {})
