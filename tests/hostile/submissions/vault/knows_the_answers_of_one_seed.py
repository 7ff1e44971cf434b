# technique: has the answers that a report of the usual seed shows
# replaces: decode.py
# expect: decode-hidden-text failed
def decode(codes):
    return "Hi" if len(codes) == 2 else "@SEEN@"
