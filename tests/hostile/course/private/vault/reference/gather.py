from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, group: Group) -> Array:
    rows, columns = piece.shape
    whole = group.device.empty((rows * group.size, columns), piece.dtype)
    group.all_gather_into_tensor(whole, piece)
    return whole
