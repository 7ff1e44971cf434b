# technique: returns NaN, from which no difference is larger than a tolerance
# replaces: lengths.py
# expect: lengths-short failed, lengths-hidden-words failed
def lengths(words):
    return [float("nan") for _ in words]
