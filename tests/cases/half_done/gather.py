
from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    rows, *rest = shape or (1,)
    full = group.device.empty((rows, *rest), piece.dtype)
    group.all_gather_into_tensor(full, piece)
    return full.reshape(shape)
