# technique: raises groups of exceptions, thousands deep
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got ExceptionGroup
def decode(codes):
    error = ValueError("innermost")
    for _ in range(5000):
        error = ExceptionGroup("group", [error])
    raise error
