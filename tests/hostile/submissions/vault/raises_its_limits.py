# technique: raises its own resource limits and takes the memory that they kept from it
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got ValueError
# needs: seccomp
import resource


def decode(codes):
    bound = 2**41
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    return str(len(bytearray(2**30)))
