# technique: raises an exception whose text never comes
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: decode was stopped after
# says: the limit for one call
class Endless(Exception):
    def __str__(self):
        while True:
            pass


def decode(codes):
    raise Endless
