# total-small: failed: more than 8 MiB
# total-large: blocked
# keep-rows: passed
# keep-owns: passed
# share-sum: passed
def keep(full, rank, world_size):
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()


def total(first, second):
    while True:
        print("x" * 1000)


def share(x, group):
    group.all_reduce(x)
    return x
