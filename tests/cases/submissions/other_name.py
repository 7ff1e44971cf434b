# keep-rows: failed: defines no function keep; did you mean Keep\?
# keep-owns: blocked
# total-small: passed
# total-large: passed
# share-sum: passed
def Keep(full, rank, world_size):
    return full


def total(first, second):
    return first + second


def share(x, group):
    group.all_reduce(x)
    return x
