# total-small: failed: total opened too many files
# total-large: blocked
# keep-rows: passed
# keep-owns: passed
# share-sum: passed
import os


def keep(full, rank, world_size):
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()


def total(first, second):
    opened = [os.open("/dev/null", os.O_RDONLY) for _ in range(1000)]
    return first + second + len(opened)


def share(x, group):
    group.all_reduce(x)
    return x
