# technique: raises an exception whose text never comes
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: gather was stopped after
# says: the limit for one call
class Endless(Exception):
    def __str__(self):
        while True:
            pass


def gather(piece, group):
    raise Endless
