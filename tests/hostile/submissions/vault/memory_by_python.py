# technique: fills the memory with Python's own objects
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got MemoryError
def decode(codes):
    kept = []
    while True:
        kept.append(bytearray(2**24))
