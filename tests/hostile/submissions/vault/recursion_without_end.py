# technique: calls itself for ever and chains an error to each that it meets on the way back
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: decode calls itself without end: RecursionError.
def decode(codes):
    try:
        return decode(codes)
    except RecursionError as error:
        raise RecursionError("deeper") from error
