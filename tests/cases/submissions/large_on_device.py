# keep-rows: failed: keep raised OutOfMemoryError
# keep-owns: blocked
# total-small: passed
# total-large: passed
# share-sum: passed
def keep(full, rank, world_size):
    return full.device.zeros(2**28)


def total(first, second):
    return first + second


def share(x, group):
    group.all_reduce(x)
    return x
