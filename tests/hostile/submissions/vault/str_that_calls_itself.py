# technique: raises an exception whose text and repr recurse without end
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: its text could not be read
class Recursive(Exception):
    def __repr__(self):
        return repr(self)

    __str__ = __repr__


def decode(codes):
    raise Recursive
