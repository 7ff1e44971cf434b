# technique: replaces the streams by ones that raise, loop over lines without end, or write on the wire
# replaces: shard.py
# expect: nothing lost
import sys


class Stream:
    def write(self, text):
        raise KeyboardInterrupt

    flush = write


def shard(full, rank, world_size):
    sys.stdout = sys.stderr = sys.__stdout__ = Stream()
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()
