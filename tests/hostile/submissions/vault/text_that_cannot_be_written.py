# technique: returns lone surrogates, control characters and what turns text round
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
def decode(codes):
    return "\ud800\udfff\x00\x1b]8;;http://localhost\x07\u202e\u2066\ufeff\ue0001\ue001"
