# technique: has the answer to the random input that everyone sees in a report of the usual seed
# replaces: decode.py
# expect: decode-random failed, decode-hidden-text failed
# seed: 2
def decode(codes):
    return "Hi" if len(codes) == 2 else "SEEN"
