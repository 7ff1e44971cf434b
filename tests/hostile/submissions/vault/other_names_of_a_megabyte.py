# technique: defines functions with very long names, and not the one that is asked for
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: decode.py defines no function decode
for letter in "abc":
    globals()[letter * 1_000_000 + "\x1b[2J"] = print
