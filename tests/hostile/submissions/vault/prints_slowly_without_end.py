# technique: prints a little now and then, so that it never seems to be silent
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: decode was stopped after
# says: the limit for one call
import time


def decode(codes):
    while True:
        print("still thinking", flush=True)
        time.sleep(0.01)
