"""Storage is the unit of memory: views share one, and it goes back when the last of them dies or by ``free()``."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import OutOfMemoryError, Where
from .ledger import Allocation, Ledger, Release


class Storage:
    """A run of elements of one dtype on one device. ``data`` and ``key`` belong to the cluster's back."""

    __slots__ = (
        "__weakref__",
        "_queue",
        "data",
        "dtype",
        "freed",
        "key",
        "nbytes",
        "number",
        "rank",
        "size",
    )

    def __init__(self, number: int, rank: int, size: int, dtype: np.dtype[Any], queue: deque[Storage]) -> None:
        self.number = number
        self.rank = rank
        self.size = size
        self.dtype = dtype
        self.nbytes = size * dtype.itemsize
        self.freed = False
        self.data: npt.NDArray[Any] | None = None
        self.key = 0
        self._queue = queue

    def __del__(self) -> None:
        # Only queued: a finalizer may run at any moment, the ledger has an order. Nobody can look at the data any more.
        self.data = None
        if not self.freed:
            self._queue.append(self)


class Memory:
    """The memory of one device: what is allocated, the most there was, and the capacity, in bytes."""

    __slots__ = ("allocated", "capacity", "ledger", "peak", "rank")

    def __init__(self, rank: int, capacity: float, ledger: Ledger) -> None:
        self.rank = rank
        self.capacity = capacity
        self.ledger = ledger
        self.allocated = 0
        self.peak = 0

    def check_room(self, nbytes: int, shape: tuple[int, ...], dtype: np.dtype[Any], operation: str) -> None:
        """Refuse an allocation beyond the capacity before anything is made."""
        if self.allocated + nbytes > self.capacity:
            raise OutOfMemoryError(
                f"{operation} of shape {shape}, {dtype}, needs {nbytes:,} bytes; "
                f"{self.capacity - self.allocated:,} of {self.capacity:,} are free"
            )

    def allocate(self, storage: Storage, operation: str, where: Where | None) -> None:
        """Count ``storage`` in; the peak is taken here."""
        self.allocated += storage.nbytes
        if self.allocated > self.peak:
            self.peak = self.allocated
        self.ledger.events.append(Allocation(self.rank, storage.number, storage.nbytes, operation, where))

    def release(self, storage: Storage, freed: bool, where: Where | None) -> None:
        """Count ``storage`` out."""
        storage.freed = True
        self.allocated -= storage.nbytes
        self.ledger.events.append(Release(self.rank, storage.number, storage.nbytes, freed, where))
