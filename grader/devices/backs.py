"""What a cluster does behind its front: keep the data in NumPy arrays, or keep none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextvars import Context
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .errors import DeviceError, NoDataError, Where
from .layout import packed
from .operations import Operation, Scalar
from .storage import Storage

if TYPE_CHECKING:
    from .array import DeviceArray
    from .collectives.base import Call, Rule

HostArray = npt.NDArray[Any]
SHOWN, SHOWN_ENDS, MOST_SHOWN = 200, 3, 1500


class Back:
    """A back that keeps no data. The front has checked and counted everything before it calls one of these."""

    keeps_events = True  # whether somebody will ask the front's ledger

    def create(self, array: DeviceArray, fill: int | None, where: Where | None) -> None:
        """A new array, of zeros (``fill`` 0) or with nothing meaningful in it (None)."""

    def compute(
        self,
        rank: int,
        operation: Operation,
        inputs: Sequence[DeviceArray | Scalar],
        parameters: Mapping[str, Any],
        output: DeviceArray,
        new: bool,
        where: Where | None,
    ) -> None:
        """Execute ``operation`` into ``output``, which is new or an array that the learner named."""

    def upload(self, array: DeviceArray, host: HostArray, where: Where | None) -> None:
        """A new array with the values of ``host``."""

    def download(self, array: DeviceArray, where: Where | None) -> HostArray:
        """The values of ``array``."""
        raise NoDataError("this cluster keeps shapes only, so there are no values to read")

    def show(self, array: DeviceArray, where: Where | None) -> str:
        """The values of ``array`` as text, for print."""
        return f"<array of shape {array.shape}, {array.dtype}, without values>"

    def release(self, storage: Storage, freed: bool, where: Where | None) -> None:
        """``storage`` was given back, by ``free()`` or because nothing held it any more."""

    def issue(self, call: Call) -> None:
        """A rank called a collective."""

    def complete(self, rule: Rule, calls: Sequence[Call]) -> None:
        """All ranks of a collective have called it, and they agree."""

    def wait(self, call: Call, where: Where | None) -> None:
        """A rank waited for a collective that is complete."""


class NumpyBack(Back):
    """A back that keeps each storage in a NumPy array of the process."""

    def __init__(self) -> None:
        # Where NumPy warns of nothing, at a fifth of the cost of np.errstate.
        self._quietly = Context()
        self._quietly.run(np.seterr, all="ignore")

    def create(self, array: DeviceArray, fill: int | None, where: Where | None) -> None:
        storage = array.storage
        storage.data = np.empty(storage.size, storage.dtype)
        storage.data[...] = poison(storage.dtype) if fill is None else fill

    def compute(
        self,
        rank: int,
        operation: Operation,
        inputs: Sequence[DeviceArray | Scalar],
        parameters: Mapping[str, Any],
        output: DeviceArray,
        new: bool,
        where: Where | None,
    ) -> None:
        if new:
            output.storage.data = np.empty(output.storage.size, output.storage.dtype)
        try:
            values = tuple([self._number(each) if isinstance(each, Scalar) else view(each) for each in inputs])
            self._quietly.run(operation.execute, view(output), values, parameters)
        except (ValueError, TypeError, ArithmeticError, MemoryError) as error:
            raise DeviceError(f"{operation.name} failed: {error}") from None

    def _number(self, scalar: Scalar) -> Any:
        return scalar.value if scalar.dtype is None else self._quietly.run(scalar.on_host)

    def upload(self, array: DeviceArray, host: HostArray, where: Where | None) -> None:
        array.storage.data = np.array(host, array.dtype, order="C").reshape(-1)

    def download(self, array: DeviceArray, where: Where | None) -> HostArray:
        return view(array).copy()

    def show(self, array: DeviceArray, where: Where | None) -> str:
        # NumPy shortens an axis to its ends, and shows both ends of every axis.
        shown = array.size if array.size <= SHOWN else math.prod(min(length, 2 * SHOWN_ENDS) for length in array.shape)
        if shown > MOST_SHOWN:
            return f"<array of shape {array.shape}, {array.dtype}, too large to print>"
        return np.array2string(view(array), separator=", ", threshold=SHOWN, edgeitems=SHOWN_ENDS)

    def release(self, storage: Storage, freed: bool, where: Where | None) -> None:
        storage.data = None

    def complete(self, rule: Rule, calls: Sequence[Call]) -> None:
        self._quietly.run(
            rule.execute,
            [[view(array) for array in call.inputs] for call in calls],
            [[view(array) for array in call.outputs] for call in calls],
            calls[0].parameters,
        )


def poison(dtype: np.dtype[Any]) -> Any:
    """What memory that was never written holds: a value that spoils whatever is computed from it.

    >>> poison(np.dtype("int8"))
    -127
    """
    if dtype.kind == "f":
        return np.nan
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min + 1


def view(array: DeviceArray) -> HostArray:
    """The elements that ``array`` shows, as a NumPy view of its storage. NumPy checks the bounds."""
    data = array.storage.data
    assert data is not None
    layout = array.layout
    if layout == packed(layout.shape) and layout.size == data.size:
        return data.reshape(layout.shape)
    item = data.itemsize
    return np.ndarray(
        layout.shape, data.dtype, data, layout.offset * item, tuple([stride * item for stride in layout.strides])
    )
