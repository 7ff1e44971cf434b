# technique: loops inside one C function, which no signal handler of Python interrupts
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: decode was stopped after
# says: the limit for one call
def decode(codes):
    return str(sum(range(10**13)))
