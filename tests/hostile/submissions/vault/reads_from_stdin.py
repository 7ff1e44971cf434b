# technique: waits for somebody to type
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got EOFError
def decode(codes):
    return input("what is it? ")
