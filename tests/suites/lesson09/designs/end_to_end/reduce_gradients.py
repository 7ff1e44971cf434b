"""Sends each slice of a gradient to the rank in whose piece it lies, which adds them up."""

from collections.abc import Iterator
from typing import Any

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradients(gradients: dict[str, Array], state: dict[str, Any], group: Group) -> dict[str, Array]:
    means = {}
    for name, gradient in gradients.items():
        flat = gradient.ravel()
        for owner, part, _, _ in slices(name, flat.size, state, group):
            if group.rank != owner:
                group.send(flat[part], owner)
                continue
            total = flat[part].copy()
            other = group.device.empty(total.shape, total.dtype)
            for rank in range(group.size):
                if rank != owner:
                    group.recv(other, rank)
                    total += other
            total /= group.size
            means[name] = total
    return means


def slices(
    name: str, size: int, state: dict[str, Any], group: Group
) -> Iterator[tuple[int, slice, slice, tuple[Array, Array, Array]]]:
    """The ranks that have elements of a weight: which of the weight's, which of the rank's piece, and this rank's."""
    for bucket in state.values():
        if name in bucket["begins"]:
            begin, count = bucket["begins"][name], bucket["arrays"][0].size
            for owner in range(group.size):
                low, high = max(begin, owner * count), min(begin + size, (owner + 1) * count)
                if low < high:
                    within = slice(low - owner * count, high - owner * count)
                    yield owner, slice(low - begin, high - begin), within, bucket["arrays"]
