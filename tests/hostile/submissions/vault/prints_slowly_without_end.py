# technique: prints a little now and then, so that it never seems to be silent
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: gather was stopped after
# says: the limit for one call
import time


def gather(piece, group):
    while True:
        print("still thinking", flush=True)
        time.sleep(0.01)
