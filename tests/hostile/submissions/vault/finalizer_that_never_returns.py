# technique: leaves an object behind whose finalizer loops
# replaces: lengths.py
# expect: lengths-* timeout
# says: lengths was stopped after
# says: the limit for one call
class Clings:
    def __del__(self):
        while True:
            pass


def lengths(words):
    Clings()
    return [len(word) for word in words]
