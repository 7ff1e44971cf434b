# technique: sleeps, and swallows whatever is raised to wake it
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: at gather.py:11, time.sleep(10)
import time


def gather(piece, group):
    while True:
        try:
            time.sleep(10)
        except BaseException:
            continue
