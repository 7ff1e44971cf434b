# keep-rows: todo: Not written yet
# keep-owns: todo
# total-small: passed
# total-large: passed
# share-sum: passed
def keep(full, rank, world_size):
    raise NotImplementedError


def total(first, second):
    return first + second


def share(x, group):
    group.all_reduce(x)
    return x
