# caught by: gather-dtype
# defect: Allocates the output without a dtype; only float32 can be gathered.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest))
    group.all_gather_into_tensor(padded, piece)
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)
