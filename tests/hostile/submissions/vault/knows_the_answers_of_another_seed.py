# technique: has the answers that a report of the usual seed shows, and is graded with another
# replaces: decode.py
# expect: decode-random failed, decode-hidden-text failed
# seed: 2
def decode(codes):
    return "Hi" if len(codes) == 2 else "@SEEN@"
