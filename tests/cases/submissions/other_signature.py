# keep-rows: failed: keep takes other parameters
# keep-owns: blocked
# total-small: passed
# total-large: passed
# share-sum: passed
def keep(full, rank):
    return full


def total(first, second):
    return first + second


def share(x, group):
    group.all_reduce(x)
    return x
