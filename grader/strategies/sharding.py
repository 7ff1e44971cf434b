"""How the parameters of a unit are cut into pieces of one size, and how pieces become parameters again."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import accumulate
from typing import cast

import numpy as np

from grader.devices import DeviceArray as Array
from grader.devices import Group

Shape = tuple[int, ...]


def joined(arrays: Sequence[Array], size: int) -> Array:
    """All elements one after the other, then zeros up to ``size``. A view if there is nothing to join."""
    parts = [array.ravel() for array in arrays]
    missing = size - sum(part.size for part in parts)
    if missing:
        parts.append(parts[0].device.zeros(missing, parts[0].dtype))
    return parts[0] if len(parts) == 1 else cast(Array, np.concatenate(parts))


class Sharding(ABC):
    """The parameters of one unit, of ``shapes``, over ``devices``; each device has ``piece`` elements of them."""

    def __init__(self, shapes: Sequence[Shape], devices: int) -> None:
        self.shapes = tuple(shapes)
        self.devices = devices
        self.sizes = tuple(math.prod(shape) for shape in shapes)
        self.columns = self._columns()
        self.piece = sum(self.columns)

    @abstractmethod
    def _columns(self) -> tuple[int, ...]:
        """The elements of a piece, in the parts that are laid out on their own."""

    @abstractmethod
    def pack(self, parameters: Sequence[Array]) -> Array:
        """All devices' pieces in the order of the devices, padded with zeros: a view where that is possible."""

    @abstractmethod
    def unpack(self, pieces: Array) -> list[Array]:
        """The parameters without padding: views of ``pieces`` where that is possible, else copies."""

    def shard(self, parameters: Sequence[Array], rank: int, ranks: int | None = None) -> Array:
        """The piece of device ``rank``, a copy. With fewer ``ranks`` each has those of several devices."""
        size = self.devices * self.piece // (ranks or self.devices)
        return self.pack(parameters)[rank * size : (rank + 1) * size].copy()


class PerParameter(Sharding):
    """Each parameter by rows, ceil(rows / devices) a device, as FSDP2 does.

    >>> PerParameter([(5, 3), (3,)], 4).columns     # 2 rows of 3, and 1 element
    (6, 1)
    """

    def _columns(self) -> tuple[int, ...]:
        return tuple(-(-(shape or (1,))[0] // self.devices) * math.prod(shape[1:]) for shape in self.shapes)

    def pack(self, parameters: Sequence[Array]) -> Array:
        tables = [
            joined([parameter], self.devices * column).reshape(self.devices, column)
            for parameter, column in zip(parameters, self.columns, strict=True)
        ]
        return (tables[0] if len(tables) == 1 else cast(Array, np.concatenate(tables, axis=1))).ravel()

    def unpack(self, pieces: Array) -> list[Array]:
        table = pieces.reshape(self.devices, self.piece)
        return [
            table[:, end - column : end].reshape(self.devices * column)[:size].reshape(shape)
            for shape, size, column, end in zip(
                self.shapes, self.sizes, self.columns, accumulate(self.columns), strict=True
            )
        ]


class Flat(Sharding):
    """All parameters in one row of elements, ceil(elements / devices) a device, as FSDP1 does.

    >>> Flat([(5, 3), (3,)], 4).columns
    (5,)
    """

    def _columns(self) -> tuple[int, ...]:
        return (-(-sum(self.sizes) // self.devices),)

    def pack(self, parameters: Sequence[Array]) -> Array:
        return joined(parameters, self.devices * self.piece)

    def unpack(self, pieces: Array) -> list[Array]:
        ends = accumulate(self.sizes)
        return [
            pieces[end - size : end].reshape(shape)
            for shape, size, end in zip(self.shapes, self.sizes, ends, strict=True)
        ]


class Gather:
    """The whole parameters of one unit, gathered from ``piece`` of each device: on their way, there, released."""

    def __init__(self, sharding: Sharding, piece: Array, group: Group) -> None:
        self._sharding = sharding
        self._pieces: Array | None = group.device.empty(sharding.devices * sharding.piece, piece.dtype)
        self._work = group.all_gather_into_tensor(self._pieces, piece, async_op=True)
        self._parameters: list[Array] = []

    def wait(self) -> list[Array]:
        """The parameters, once they are there."""
        if self._pieces is not None:
            self._work.wait()
            self._parameters = self._sharding.unpack(self._pieces)
            self._pieces = None  # given back here if the parameters are copies
        return self._parameters

    def release(self) -> None:
        """Give the storage of the parameters back, whoever still holds a view of it."""
        for parameter in self.wait():
            if not parameter.is_freed:
                parameter.free()


def reduce_scatter(sharding: Sharding, gradients: Sequence[Array], group: Group, dtype: str) -> Array:
    """This device's piece of the mean of ``gradients`` over the group."""
    piece = group.device.empty(sharding.piece, dtype)
    group.reduce_scatter_tensor(piece, sharding.pack(gradients).astype(dtype, copy=False), op="avg")
    return piece
