# caught by: release-shard
# defect: Tidies up what the last gather touched, this rank's piece with it.

from grader.devices import DeviceArray as Array
from grader.devices import Group

TOUCHED: list[Array] = []


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    TOUCHED[:] = [piece]
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)
