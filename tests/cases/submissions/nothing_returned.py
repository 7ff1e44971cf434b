# keep-rows: failed: keep returned None; it should return an array of the device
# keep-owns: blocked
# total-small: passed
# total-large: passed
# share-sum: passed
def keep(full, rank, world_size):
    pass


def total(first, second):
    return first + second


def share(x, group):
    group.all_reduce(x)
    return x
