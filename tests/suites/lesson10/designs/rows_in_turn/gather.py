from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    rows, *rest = shape or (1,)
    by_rank = group.device.empty((group.size, *piece.shape), piece.dtype)
    group.all_gather_into_tensor(by_rank, piece)
    return by_rank.swapaxes(0, 1).reshape((group.size * piece.shape[0], *rest))[:rows].reshape(shape).copy()
