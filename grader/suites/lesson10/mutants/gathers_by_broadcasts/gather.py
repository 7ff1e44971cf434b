# caught by: gather-collectives
# defect: Every rank broadcasts its piece in turn: N collectives where one does.

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    for source in range(group.size):
        part = padded[source * count : (source + 1) * count]
        if source == group.rank:
            part[...] = piece
        group.broadcast(part, source)
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)
