# technique: sleeps, and swallows whatever is raised to wake it
# replaces: decode.py
# expect: decode-random blocked, decode-* timeout
# says: at decode.py:11, time.sleep(10)
import time


def decode(codes):
    while True:
        try:
            time.sleep(10)
        except BaseException:
            continue
