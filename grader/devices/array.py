"""An array on a simulated device: NumPy's interface, the device's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import layout as layouts
from .errors import DtypeError, HostAccessError, NoAttributeError, ShapeError, UnsupportedError
from .layout import Layout
from .operations import Scalar, check_dtype
from .operators import Operators
from .storage import Storage

if TYPE_CHECKING:
    from .device import Device
    from .machine import Machine

Axis = int | tuple[int, ...] | None


class DeviceArray(Operators):
    """An array whose bytes are on a device. Make one with ``device.empty``, ``.zeros`` or ``.array``.

    It takes NumPy's operators, functions and indexing; views share storage, results get storage of their own. Its
    values come to the host by ``x.numpy()`` only, which the ledger records.

    >>> from grader.devices import Cluster
    >>> device = Cluster(1).devices[0]
    >>> x = device.array([[1.0, 2.0], [3.0, 4.0]])
    >>> print(x.T @ x + 1)
    [[11., 15.],
     [15., 21.]]
    >>> row = x[1]
    >>> row *= 10
    >>> x.numpy()[1].tolist(), x.shape, x.dtype, x.nbytes
    ([30.0, 40.0], (2, 2), dtype('float64'), 32)
    """

    __slots__ = ("layout", "machine", "storage")

    def __init__(self, machine: Machine, storage: Storage, layout: Layout) -> None:
        self.machine = machine
        self.storage = storage
        self.layout = layout

    # What it is

    @property
    def shape(self) -> tuple[int, ...]:
        return self.layout.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.storage.dtype

    @property
    def ndim(self) -> int:
        return len(self.layout.shape)

    @property
    def size(self) -> int:
        """How many elements it shows."""
        return self.layout.size

    @property
    def nbytes(self) -> int:
        """Bytes of the elements that it shows; its storage may be larger."""
        return self.layout.size * self.storage.dtype.itemsize

    @property
    def itemsize(self) -> int:
        return int(self.storage.dtype.itemsize)

    @property
    def device(self) -> Device:
        """The device that holds it."""
        return self.machine.devices[self.storage.rank]

    @property
    def is_freed(self) -> bool:
        """Whether its storage was given back."""
        return self.storage.freed

    def free(self) -> None:
        """Give the storage back now, whoever still holds a view of it.

        >>> from grader.devices import Cluster
        >>> device = Cluster(1).devices[0]
        >>> x = device.zeros(4)
        >>> view = x[1:]
        >>> x.free()
        >>> view.is_freed, device.memory_allocated()
        (True, 0)
        """
        self.machine.free(self)

    # Values on the host

    def numpy(self) -> npt.NDArray[Any]:
        """Its values as a NumPy array on the host: a host copy, and recorded as one."""
        return self.machine.download(self, "numpy")

    def item(self) -> bool | int | float:
        """The value of an array of one element: a host copy."""
        if self.size != 1:
            raise ShapeError(f"item() needs an array of one element, not of shape {self.shape}")
        value: bool | int | float = self.machine.download(self, "item").item()
        return value

    def tolist(self) -> Any:
        """Its values as nested lists: a host copy."""
        return self.machine.download(self, "tolist").tolist()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ShapeError(f"an array of shape {self.shape} is neither true nor false; use .any() or .all()")
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise DtypeError(f"an array of {self.dtype} is no index")
        return int(self.item())

    def __len__(self) -> int:
        if not self.shape:
            raise ShapeError("an array of no dimensions has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[DeviceArray]:
        return (self[position] for position in range(len(self)))

    def __str__(self) -> str:
        return self.machine.show(self)

    def __repr__(self) -> str:
        return f"DeviceArray({self.machine.show(self)}, dtype={self.dtype}, device={self.storage.rank})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec) if not spec else format(self.item(), spec)

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise HostAccessError(
            "this call would copy the array to the host; x.copy() copies it on its device, x.numpy() brings it down"
        )

    def __reduce__(self) -> NoReturn:
        raise HostAccessError("an array of a device cannot be pickled; x.numpy() brings its values down")

    def __copy__(self) -> DeviceArray:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> DeviceArray:
        return self.copy()

    # Views

    def view_as(self, layout: Layout) -> DeviceArray:
        """Another array of the same storage."""
        return DeviceArray(self.machine, self.storage, layout)

    def __getitem__(self, key: Any) -> DeviceArray:
        chosen = _chosen_rows(key)
        if chosen is not None:
            return self.compute("take", (self,), {"indices": chosen, "axis": 0})
        return self.view_as(layouts.index(self.layout, _plain_key(key)))

    def __setitem__(self, key: Any, value: Any) -> None:
        if _chosen_rows(key) is not None:
            raise UnsupportedError("assignment to chosen rows is not supported; assign row by row or use np.where")
        target = self.view_as(layouts.index(self.layout, _plain_key(key)))
        source = self.operand(value)
        if isinstance(source, DeviceArray):
            extra = source.ndim - target.ndim
            if extra > 0 and source.shape[:extra] == (1,) * extra:
                source = source.squeeze(tuple(range(extra)))
        self.compute("copy", (source,), {}, target)

    def reshape(self, *shape: Any, order: str = "C") -> DeviceArray:
        """The same elements in another shape: a view where NumPy gives one, else a copy."""
        if order != "C":
            raise UnsupportedError("reshape is supported in C order only")
        wanted = layouts.lengths(shape[0] if len(shape) == 1 else shape)
        lengths = layouts.resolve_shape(self.size, wanted)
        found = layouts.reshape(self.layout, lengths)
        if found is not None:
            return self.view_as(found)
        return self.copy().view_as(layouts.packed(lengths))

    def ravel(self, order: str = "C") -> DeviceArray:
        """All elements in one dimension: a view if the array is contiguous, else a copy."""
        return self.reshape(-1, order=order) if self.layout.contiguous else self.flatten(order)

    def flatten(self, order: str = "C") -> DeviceArray:
        """All elements in one dimension, copied."""
        return self.copy().reshape(-1, order=order)

    def transpose(self, *axes: Any) -> DeviceArray:
        """The axes in another order, reversed by default: a view."""
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return self.view_as(layouts.transpose(self.layout, None if order in ((), (None,)) else tuple(order)))

    @property
    def T(self) -> DeviceArray:
        """The transpose: a view."""
        return self.transpose()

    def swapaxes(self, axis1: int, axis2: int) -> DeviceArray:
        """Two axes exchanged: a view."""
        order = list(range(self.ndim))
        first, second = (layouts.normalize_axis(axis, self.ndim) for axis in (axis1, axis2))
        order[first], order[second] = second, first
        return self.transpose(order)

    def squeeze(self, axis: Axis = None) -> DeviceArray:
        """Without axes of length 1: a view."""
        return self.view_as(layouts.squeeze(self.layout, axis))

    # Copies

    def copy(self, order: str = "C") -> DeviceArray:
        """A copy with storage of its own, on the same device, contiguous in C order."""
        return self.compute("copy", (self,), {})

    def astype(self, dtype: object, copy: bool = True) -> DeviceArray:
        """A copy in another dtype; the array itself with ``copy=False`` if it has that dtype."""
        if not copy and self.dtype == check_dtype(dtype):
            return self
        return self.compute("copy", (self,), {"dtype": dtype_name(dtype)})

    def fill(self, value: Any) -> None:
        """Set every element to ``value``."""
        self[...] = value

    # Computation

    def compute(
        self, name: str, inputs: tuple[Any, ...], parameters: dict[str, Any], output: DeviceArray | None = None
    ) -> DeviceArray:
        """Run an operation of the table on this array's cluster."""
        return self.machine.compute(name, inputs, parameters, output)

    def operand(self, value: Any) -> DeviceArray | Scalar:
        """What an operation takes: an array of this cluster, or a number."""
        if isinstance(value, DeviceArray):
            return value
        if type(value) in (bool, int, float):
            return Scalar(value)
        if isinstance(value, (np.generic, np.ndarray)):
            if value.shape == () and value.dtype.kind in "biuf":
                return Scalar(value.item(), value.dtype)
        else:
            for kind in (bool, int, float):
                if isinstance(value, kind):
                    return Scalar(kind(value))
        if isinstance(value, (np.ndarray, list, tuple)):
            raise HostAccessError(
                "an array of a device meets one of the host; "
                "device.array(host) copies it up, and the ledger records that"
            )
        raise UnsupportedError(f"an array of a device cannot be combined with {type(value).__name__}")

    # Operators, see Operators

    def _binary(self, name: str, other: object) -> DeviceArray:
        return self.machine.compute(name, (self, self.operand(other)), {})

    def _reflected(self, name: str, other: object) -> DeviceArray:
        return self.machine.compute(name, (self.operand(other), self), {})

    def _in_place(self, name: str, other: object) -> DeviceArray:
        return self.machine.compute(name, (self, self.operand(other)), {}, self)

    def _unary(self, name: str) -> DeviceArray:
        return self.machine.compute(name, (self,), {})

    def __contains__(self, value: object) -> bool:
        return bool((self == value).any())

    # NumPy's functions and methods

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .numpy_api import call_ufunc

        return call_ufunc(self, ufunc, method, inputs, kwargs)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        from .numpy_api import call_function

        return call_function(function, args, kwargs)

    def reduce(
        self, name: str, axis: Axis, keepdims: bool, out: DeviceArray | None, dtype: object = None, ddof: float = 0
    ) -> DeviceArray:
        """The reduction ``name`` of the table, over one axis, several, or all."""
        parameters: dict[str, Any] = {"axis": _plain_axis(axis)}
        if keepdims:
            parameters["keepdims"] = True
        if dtype is not None:
            parameters["dtype"] = dtype_name(dtype)
        if ddof:
            parameters["ddof"] = ddof if type(ddof) is int else float(ddof)
        return self.compute(name, (self,), parameters, out)

    def sum(
        self, axis: Axis = None, dtype: object = None, out: DeviceArray | None = None, keepdims: bool = False
    ) -> DeviceArray:
        """The sum over ``axis``: one axis, several, or all."""
        return self.reduce("sum", axis, keepdims, out, dtype)

    def prod(
        self, axis: Axis = None, dtype: object = None, out: DeviceArray | None = None, keepdims: bool = False
    ) -> DeviceArray:
        """The product over ``axis``."""
        return self.reduce("prod", axis, keepdims, out, dtype)

    def mean(
        self, axis: Axis = None, dtype: object = None, out: DeviceArray | None = None, keepdims: bool = False
    ) -> DeviceArray:
        """The mean over ``axis``; of integers, in float64."""
        return self.reduce("mean", axis, keepdims, out, dtype)

    def var(
        self,
        axis: Axis = None,
        dtype: object = None,
        out: DeviceArray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
    ) -> DeviceArray:
        """The variance over ``axis``, divided by their number less ``ddof``."""
        return self.reduce("var", axis, keepdims, out, dtype, ddof)

    def std(
        self,
        axis: Axis = None,
        dtype: object = None,
        out: DeviceArray | None = None,
        ddof: float = 0,
        keepdims: bool = False,
    ) -> DeviceArray:
        """The standard deviation over ``axis``, divided by their number less ``ddof``."""
        return self.reduce("std", axis, keepdims, out, dtype, ddof)

    def max(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        """The largest element over ``axis``."""
        return self.reduce("max", axis, keepdims, out)

    def min(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        """The smallest element over ``axis``."""
        return self.reduce("min", axis, keepdims, out)

    def any(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        """Whether any element over ``axis`` is true."""
        return self.reduce("any", axis, keepdims, out)

    def all(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        """Whether all elements over ``axis`` are true."""
        return self.reduce("all", axis, keepdims, out)

    def argmax(self, axis: int | None = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        """Where the first largest element is along ``axis``, or among all."""
        return self.reduce("argmax", axis, keepdims, out)

    def argmin(self, axis: int | None = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        """Where the first smallest element is along ``axis``, or among all."""
        return self.reduce("argmin", axis, keepdims, out)

    def cumsum(self, axis: int | None = None, dtype: object = None, out: DeviceArray | None = None) -> DeviceArray:
        """The running sum along ``axis``, or of all elements in one dimension."""
        return self.reduce("cumsum", axis, False, out, dtype)

    def clip(self, min: Any = None, max: Any = None, out: DeviceArray | None = None) -> DeviceArray:
        """Every element brought into the range from ``min`` to ``max``; None is no bound."""
        if min is None and max is None:
            return self.compute("copy", (self,), {}, out)
        if min is None:
            return self.compute("minimum", (self, self.operand(max)), {}, out)
        if max is None:
            return self.compute("maximum", (self, self.operand(min)), {}, out)
        return self.compute("clip", (self, self.operand(min), self.operand(max)), {}, out)

    def take(self, indices: Any, axis: int | None = None) -> DeviceArray:
        """The elements or rows at integer ``indices``, a number or a list or array of one dimension of the host."""
        source = self.ravel() if axis is None else self
        place = layouts.normalize_axis(axis or 0, source.ndim)
        if np.ndim(indices) == 0:
            return source[(*(slice(None),) * place, layouts.integer(indices, "an index"))].copy()
        chosen = _chosen_rows(list(indices) if isinstance(indices, (range, tuple)) else indices)
        if chosen is None:
            raise UnsupportedError("take on a device needs a list of integers of the host, of one dimension")
        return self.compute("take", (source,), {"indices": chosen, "axis": place})

    def dot(self, other: DeviceArray) -> DeviceArray:
        """The matrix product, for one and two dimensions."""
        return self @ other

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"an array of a device has no attribute {name!r}")
        from .numpy_api import nearest

        raise NoAttributeError(f"an array of a device has no {name}; {nearest(name)}")


def dtype_name(dtype: object) -> str:
    """The name of a dtype, for an operation's parameters."""
    return check_dtype(dtype).name


def _plain_axis(axis: Any) -> Axis:
    if axis is None or type(axis) is int:
        return axis
    if isinstance(axis, (tuple, list)):
        return tuple(layouts.integer(each, "an axis") for each in axis)
    return layouts.integer(axis, "an axis")


def _chosen_rows(key: Any) -> list[int] | None:
    """Integer rows that a list or host array chooses; None for basic indexing."""
    if isinstance(key, np.ndarray):
        key = key.tolist() if key.ndim == 1 and key.dtype.kind in "iu" else None
    if isinstance(key, list) and all(
        isinstance(each, (int, np.integer)) and not isinstance(each, bool) for each in key
    ):
        return [int(each) for each in key]
    return None


def _plain_key(key: Any) -> Any:
    """Basic indices with NumPy's integers and 0-d device arrays made plain."""
    if isinstance(key, tuple):
        return tuple(_plain_key(part) for part in key)
    if isinstance(key, slice):
        ends = (key.start, key.stop, key.step)
        return slice(*[None if each is None else layouts.integer(each, "a slice's end") for each in ends])
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, DeviceArray):
        if key.shape == () and key.dtype.kind in "iu":
            return int(key)
        raise UnsupportedError(
            "indexing by an array of a device is not supported; use np.where instead of a mask, "
            "x[...] with slices, or np.take with host integers"
        )
    return key
