# technique: returns a list that holds itself twice, which is no end of values
# replaces: lengths.py
# expect: lengths-* timeout
# says: lengths was stopped after
# says: the limit for one call
def lengths(words):
    words[:] = [words, words]
    return words
