"""Gathering padded rows: the padding is all at the end."""

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    """The rows of all ranks in rank order, without the padding: a view of the gathered storage."""
    count, *rest = piece.shape
    padded = group.device.empty((group.size * count, *rest), piece.dtype)
    group.all_gather_into_tensor(padded, piece)
    rows = shape[0] if shape else 1
    return padded[:rows].reshape(shape)
