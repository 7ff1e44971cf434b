# technique: searches everything that is alive in its process for what is expected
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: looked at many objects
import gc
import sys


def decode(codes):
    objects = gc.get_objects()
    texts = {each for one in objects for each in gc.get_referents(one) if type(each) is str}
    found = [each for each in texts if "-5b1e" in each or "Another result is right" in each or "cassowary" in each]
    print("looked at many objects" if len(objects) > 100 else "saw nothing", len(found), sys.argv, found)
    return found
