# technique: returns more than may cross at once
# replaces: lengths.py
# expect: lengths-* failed
# says: lengths returned a value too large to look at
def lengths(words):
    return [2**60] * 500_000
