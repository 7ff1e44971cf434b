"""An array on a simulated device: NumPy's interface, the device's memory."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import layout as layouts
from .errors import DtypeError, HostAccessError, ShapeError, UnsupportedError, WrongDeviceError
from .layout import Layout
from .operations import Scalar
from .storage import Storage

if TYPE_CHECKING:
    from .cluster import Device
    from .machine import Machine

Axis = int | tuple[int, ...] | None


class DeviceArray:
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
    __hash__ = None  # type: ignore[assignment]

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
        from .cluster import Device

        return Device(self.machine, self.storage.rank)

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
        self.compute("copy", (self.operand(value),), {}, target)

    def reshape(self, *shape: Any, order: str = "C") -> DeviceArray:
        """The same elements in another shape: a view where NumPy gives one, else a copy."""
        if order != "C":
            raise UnsupportedError("reshape is supported in C order only")
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        lengths = layouts.resolve_shape(self.size, tuple(operator.index(length) for length in wanted))
        found = layouts.reshape(self.layout, lengths)
        if found is not None:
            return self.view_as(found)
        copy = self.copy()
        return copy.view_as(layouts.packed(lengths))

    def ravel(self, order: str = "C") -> DeviceArray:
        """All elements in one dimension: a view if the array is contiguous, else a copy."""
        return self.reshape(-1, order=order) if self.layout.contiguous else self.flatten(order)

    def flatten(self, order: str = "C") -> DeviceArray:
        """All elements in one dimension, copied."""
        return self.copy().reshape(-1, order=order)

    def transpose(self, *axes: Any) -> DeviceArray:
        """The axes in another order, reversed by default: a view."""
        order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return self.view_as(layouts.transpose(self.layout, tuple(order) if order and order != (None,) else None))

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
        """A copy with storage of its own, on the same device."""
        return self.compute("copy", (self,), {})

    def astype(self, dtype: object, copy: bool = True) -> DeviceArray:
        """A copy in another dtype."""
        if not copy and self.dtype == np.dtype(dtype):  # type: ignore[call-overload]
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
        if isinstance(value, (bool, int, float)) and not isinstance(value, np.generic):
            return Scalar(value)
        if isinstance(value, np.generic) and value.dtype.kind in "biuf":
            return Scalar(value.item(), value.dtype)
        if isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "biuf":
            return Scalar(value.item(), value.dtype)
        if isinstance(value, (np.ndarray, list, tuple)):
            raise HostAccessError(
                "an array of a device meets one of the host; device.array(host) copies it up, and the ledger records that"
            )
        raise UnsupportedError(f"an array of a device cannot be combined with {type(value).__name__}")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .numpy_api import call_ufunc

        return call_ufunc(self, ufunc, method, inputs, kwargs)

    def __array_function__(
        self, function: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        from .numpy_api import call_function

        return call_function(function, args, kwargs)

    def _reduce(
        self, name: str, axis: Axis, keepdims: bool, out: DeviceArray | None, dtype: object = None
    ) -> DeviceArray:
        parameters: dict[str, Any] = {"axis": tuple(axis) if isinstance(axis, list) else axis}
        if keepdims:
            parameters["keepdims"] = True
        if dtype is not None:
            parameters["dtype"] = dtype_name(dtype)
        return self.compute(name, (self,), parameters, out)

    def sum(
        self, axis: Axis = None, dtype: object = None, out: DeviceArray | None = None, keepdims: bool = False
    ) -> DeviceArray:
        return self._reduce("sum", axis, keepdims, out, dtype)

    def prod(
        self, axis: Axis = None, dtype: object = None, out: DeviceArray | None = None, keepdims: bool = False
    ) -> DeviceArray:
        return self._reduce("prod", axis, keepdims, out, dtype)

    def mean(
        self, axis: Axis = None, dtype: object = None, out: DeviceArray | None = None, keepdims: bool = False
    ) -> DeviceArray:
        return self._reduce("mean", axis, keepdims, out, dtype)

    def max(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        return self._reduce("max", axis, keepdims, out)

    def min(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        return self._reduce("min", axis, keepdims, out)

    def any(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        return self._reduce("any", axis, keepdims, out)

    def all(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        return self._reduce("all", axis, keepdims, out)

    def argmax(self, axis: int | None = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        return self._reduce("argmax", axis, keepdims, out)

    def argmin(self, axis: int | None = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        return self._reduce("argmin", axis, keepdims, out)

    def var(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        return self._reduce("var", axis, keepdims, out)

    def std(self, axis: Axis = None, out: DeviceArray | None = None, keepdims: bool = False) -> DeviceArray:
        return self._reduce("std", axis, keepdims, out)

    def cumsum(self, axis: int | None = None, out: DeviceArray | None = None) -> DeviceArray:
        return self.compute("cumsum", (self,), {"axis": axis}, out)

    def clip(self, min: Any, max: Any, out: DeviceArray | None = None) -> DeviceArray:
        return self.compute("clip", (self, self.operand(min), self.operand(max)), {}, out)

    def take(self, indices: Any, axis: int | None = None) -> DeviceArray:
        """The elements or rows at integer ``indices`` of the host."""
        source = self.ravel() if axis is None else self
        chosen = [operator.index(each) for each in np.atleast_1d(indices)]
        return self.compute("take", (source,), {"indices": chosen, "axis": axis or 0})

    def dot(self, other: DeviceArray) -> DeviceArray:
        """The matrix product, for one and two dimensions."""
        return self @ other

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") or not hasattr(np.ndarray, name):
            raise AttributeError(f"an array of a device has no attribute {name!r}")
        from .numpy_api import nearest

        raise UnsupportedError(f"an array of a device has no {name}; {nearest(name)}")


def dtype_name(dtype: object) -> str:
    """The name of a dtype, for an operation's parameters."""
    from .operations import check_dtype

    return check_dtype(dtype).name  # type: ignore[arg-type]


def _chosen_rows(key: Any) -> list[int] | None:
    """Integer rows that a list or host array chooses; None for basic indexing."""
    if isinstance(key, (list, np.ndarray)) and np.ndim(key) == 1:
        found = np.asarray(key)
        if found.dtype.kind in "iu" or found.size == 0:
            return [int(each) for each in found]
    return None


def _plain_key(key: Any) -> Any:
    """Basic indices with NumPy's integers and 0-d device arrays made plain."""
    if isinstance(key, tuple):
        return tuple(_plain_key(part) for part in key)
    if isinstance(key, slice):
        return slice(*(None if each is None else operator.index(each) for each in (key.start, key.stop, key.step)))
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


def _binary(ufunc: np.ufunc, reflected: bool = False) -> Callable[[DeviceArray, Any], DeviceArray]:
    name = ufunc.__name__

    def method(self: DeviceArray, other: Any) -> DeviceArray:
        value = self.operand(other)
        return self.machine.compute(name, (value, self) if reflected else (self, value), {})

    return method


def _in_place(ufunc: np.ufunc) -> Callable[[DeviceArray, Any], DeviceArray]:
    name = ufunc.__name__

    def method(self: DeviceArray, other: Any) -> DeviceArray:
        return self.machine.compute(name, (self, self.operand(other)), {}, self)

    return method


def _unary(ufunc: np.ufunc) -> Callable[[DeviceArray], DeviceArray]:
    name = ufunc.__name__

    def method(self: DeviceArray) -> DeviceArray:
        return self.machine.compute(name, (self,), {})

    return method


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "floordiv": np.floor_divide,
    "mod": np.remainder, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
UNARY = {"neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert}

for _name, _ufunc in BINARY.items():
    setattr(DeviceArray, f"__{_name}__", _binary(_ufunc))
    setattr(DeviceArray, f"__r{_name}__", _binary(_ufunc, reflected=True))
    setattr(DeviceArray, f"__i{_name}__", _in_place(_ufunc))
for _name, _ufunc in COMPARISONS.items():
    setattr(DeviceArray, f"__{_name}__", _binary(_ufunc))
for _name, _ufunc in UNARY.items():
    setattr(DeviceArray, f"__{_name}__", _unary(_ufunc))
