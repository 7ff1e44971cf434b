# technique: loops for ever in Python
# replaces: lengths.py
# expect: lengths-* timeout
# says: lengths was stopped after
# says: the limit for one call
# says: words = words[:]
def lengths(words):
    while True:
        words = words[:]
