# keep-rows: failed: keep (raised OutOfMemoryError|ran out of memory)
# keep-owns: blocked
# total-small: passed
# total-large: passed
# share-sum: passed
def keep(full, rank, world_size):
    import numpy as np

    return full.device.array(np.zeros(2**28))


def total(first, second):
    return first + second


def share(x, group):
    group.all_reduce(x)
    return x
