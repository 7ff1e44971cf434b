# technique: raises an exception with ten megabytes of text, notes and a long chain of causes
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: characters left out
def decode(codes):
    error = ValueError("x" * 10_000_000)
    for number in range(10_000):
        error.add_note(f"note {number}")
        cause = ValueError(number)
        cause.__cause__ = error.__cause__
        error.__cause__ = cause
    raise error
