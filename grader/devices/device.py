"""One device: the memory that arrays are made in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import layout as layouts
from .array import DeviceArray
from .errors import DtypeError, HostAccessError

if TYPE_CHECKING:
    from .machine import Machine


class Device:
    """One device of a cluster, with memory of its own.

    >>> from grader.devices import Cluster
    >>> device = Cluster(1).devices[0]
    >>> x = device.zeros((2, 3))
    >>> x.nbytes, device.memory_allocated()
    (24, 24)
    >>> del x
    >>> device.memory_allocated(), device.max_memory_allocated()
    (0, 24)
    """

    __slots__ = ("machine", "rank")

    def __init__(self, machine: Machine, rank: int) -> None:
        self.machine = machine
        self.rank = rank

    def empty(self, shape: int | tuple[int, ...], dtype: object = "float32") -> DeviceArray:
        """A new array with nothing meaningful in it: NaN, or a value that spoils what it is added to.

        >>> from grader.devices import Cluster
        >>> print(Cluster(1).devices[0].empty(2))
        [nan, nan]
        """
        return self.machine.create(self.rank, layouts.lengths(shape), dtype, None)

    def zeros(self, shape: int | tuple[int, ...], dtype: object = "float32") -> DeviceArray:
        """A new array of zeros. ``shape`` is a tuple of lengths, or one length.

        Raises OutOfMemoryError beyond the device's capacity, DtypeError for a dtype that is not bool, integer or
        float.
        """
        return self.machine.create(self.rank, layouts.lengths(shape), dtype, 0)

    def array(self, host: Any, dtype: object = None) -> DeviceArray:
        """A new array with the values of a host array, list or number: a host copy, and recorded as one.

        A cluster without data takes the shape and the dtype only.

        >>> from grader.devices import Cluster
        >>> print(Cluster(1).devices[0].array([1.0, 2.0]))
        [1., 2.]
        """
        if isinstance(host, DeviceArray):
            raise HostAccessError("device.array copies from the host; x.copy() copies an array of a device")
        try:
            if isinstance(host, np.ndarray) and not self.machine.materialize:
                # One element stands for all: a copy in another dtype might be too large for the host.
                one = np.asarray(np.zeros((), host.dtype), dtype=dtype)  # type: ignore[call-overload]
                values = np.broadcast_to(one, host.shape)
            else:
                values = np.asarray(host, dtype=dtype)  # type: ignore[call-overload]
        except (ValueError, OverflowError) as error:
            raise DtypeError(f"device.array cannot make an array of this: {error}") from None
        return self.machine.upload(self.rank, values)

    def memory_allocated(self) -> int:
        """Bytes allocated now, like ``torch.cuda.memory_allocated``."""
        self.machine.settle()
        return self.machine.memory[self.rank].allocated

    def max_memory_allocated(self) -> int:
        """The most bytes allocated at any moment since the start or the last reset."""
        self.machine.settle()
        return self.machine.memory[self.rank].peak

    def reset_peak_memory_stats(self) -> None:
        """Begin the peak anew from what is allocated now."""
        self.machine.settle()
        memory = self.machine.memory[self.rank]
        memory.peak = memory.allocated

    def __repr__(self) -> str:
        return f"<Device {self.rank}>"
