# total-small: timeout: stopped after 2 s, the limit for one call; of the processor it used 0 s
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
