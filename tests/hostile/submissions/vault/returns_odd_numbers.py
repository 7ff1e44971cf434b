# technique: returns integers of a thousand digits, subnormal floats, infinities and NaN as keys
# replaces: lengths.py
# expect: lengths-* failed
# says: expected [1, 3]
def lengths(words):
    return [10**990, -(10**5000), 5e-324, float("inf"), -0.0, {float("nan"): 1, True: 2, None: {}}, 1 << 3000]
