# total-small: timeout: stopped after 1 s of processor time or 2 s by the clock, the limit for one call
# total-large: blocked
# keep-rows: passed
# keep-owns: passed
# share-sum: passed
import time


def keep(full, rank, world_size):
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()


def total(first, second):
    time.sleep(3600)
    return first + second


def share(x, group):
    group.all_reduce(x)
    return x
