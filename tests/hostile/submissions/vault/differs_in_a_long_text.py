# technique: returns a text as long as may cross, for whose difference a comparison takes long
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: characters left out
def decode(codes):
    return ("Hi\u202e\n" * 50_000)[:100_000]
