# technique: returns generators, ranges and functions that have no end or are to be called
# replaces: lengths.py
# expect: lengths-* failed
# says: Opaque
import itertools


def lengths(words):
    return [itertools.count(), range(10**18), (each for each in iter(int, 1)), lambda: 1, words.append, type, ...]
