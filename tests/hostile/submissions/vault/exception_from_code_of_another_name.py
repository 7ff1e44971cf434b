# technique: raises in code that claims to be a line of the suite, under a name that turns text round
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: at decode.py:
CODE = compile("\n" * 40 + "raise ValueError('here')", "test_vault.py\u202e\x1b[2J", "exec")


def decode(codes):
    exec(CODE)
