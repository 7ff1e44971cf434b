# technique: prints what clears a terminal, sets its title, turns text round or cannot be seen
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: \x1b[2J\x1b]0;passed\x07
# says: \u202etxt.evil \u200b\ufeff\u2066
def decode(codes):
    print("\x1b[2J\x1b]0;passed\x07\x1b[31mred\r\x08\x00\x9b\x7f\x85\u2028")
    print("\u202etxt.evil \u200b\ufeff\u2066", "\ud800", "\U000e0041")
    return "\x1b[2J\u202e"
