# total-small: failed: total raised ModuleNotFoundError
# total-large: blocked
# keep-rows: passed
# keep-owns: passed
# share-sum: passed
def keep(full, rank, world_size):
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()


def total(first, second):
    import torch

    return torch.add(first, second)


def share(x, group):
    group.all_reduce(x)
    return x
