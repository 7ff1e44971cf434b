# share-sum: failed: The sum over ranks is wrong
# keep-rows: passed
# keep-owns: passed
# total-small: passed
# total-large: passed
def keep(full, rank, world_size):
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()


def total(first, second):
    return first + second


def share(x, group):
    return x
