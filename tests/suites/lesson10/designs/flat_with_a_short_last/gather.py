import math

from shard import bounds

from grader.devices import DeviceArray as Array
from grader.devices import Group


def gather(piece: Array, shape: tuple[int, ...], group: Group) -> Array:
    size = math.prod(shape)
    _, count = bounds(size, 0, group.size)
    sent = piece
    if piece.size < count:
        sent = group.device.zeros(count, piece.dtype)
        sent[: piece.size] = piece
    flat = group.device.empty(count * group.size, piece.dtype)
    group.all_gather_into_tensor(flat, sent)
    return flat[:size].reshape(shape)
