# technique: leaves threads behind that go on working, and printing, while later functions are called
# replaces: decode.py
# expect: nothing lost
import threading
import time


def go_on():
    while True:
        time.sleep(0.001)
        print("still here")


def decode(codes):
    threading.Thread(target=go_on, daemon=True).start()
    return "".join(map(chr, codes))
