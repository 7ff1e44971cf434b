# share-sum: failed: share raised NameError
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
    if group.rank == 0:
        global seen
        seen = x
    return seen
