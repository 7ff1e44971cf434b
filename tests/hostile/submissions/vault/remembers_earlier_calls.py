# technique: keeps what it was called with and shows it in a later call whose output is visible
# replaces: lengths.py
# expect: lengths-none failed
# says: seen before ['a', 'bcd']
import builtins

builtins.seen = getattr(builtins, "seen", [])


def lengths(words):
    print("seen before", builtins.seen)
    builtins.seen += words
    return [len(word) for word in words] or builtins.seen
