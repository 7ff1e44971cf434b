# technique: loops for ever in Python
# replaces: lengths.py
# expect: lengths-* timeout
# says: lengths was stopped after
# says: the limit for one call
# says: # round and round
def lengths(words):
    while True:  # round and round
        words = words[:]  # round and round
