# technique: starts threads as long as it is let
# replaces: decode.py
# expect: nothing lost
import contextlib
import threading
import time


def decode(codes):
    with contextlib.suppress(RuntimeError):
        for _ in range(2000):
            threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
    return "".join(map(chr, codes))
