# caught by: gather-collectives
# defect: Takes the padding off in NumPy on the host: down with the whole parameter and up again.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    rows = shape[0] if shape else 1
    return group.device.array(padded.numpy()[:rows].reshape(shape))
