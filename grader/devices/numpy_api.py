"""NumPy's functions and ufuncs on arrays of a device. What is missing raises an error that names the nearest."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from . import layout as layouts
from .array import Axis, DeviceArray
from .errors import DeviceError, ShapeError, UnsupportedError
from .operations import table

NEAREST = {
    "einsum": "np.matmul and transposes do it in steps",
    "tensordot": "reshape and np.matmul do it",
    "inner": "np.matmul with a transpose does it",
    "nonzero": "np.where(condition, a, b) keeps the shape",
    "sort": "there is no sorting on the devices",
    "tofile": "x.numpy() brings the values down",
    "tobytes": "x.numpy() brings the values down",
    "view": "x.astype(dtype) converts, x.reshape(shape) shows another shape",
    "data": "x.numpy() brings the values down",
    "flat": "x.ravel() shows all elements in one dimension",
    "resize": "x.reshape(shape) or np.pad",
    "strides": "x.ravel() and x.copy() make an array contiguous",
    "round": "np.rint rounds to whole numbers",
    "modf": "np.trunc gives the whole part",
}
REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip


def nearest(name: str) -> str:
    """What to use instead of a NumPy operation that the devices lack.

    >>> nearest("einsum")
    'np.matmul and transposes do it in steps'
    """
    if name in NEAREST:
        return NEAREST[name]
    known = sorted({*table(), *(function.__name__ for function in functions())})
    close = difflib.get_close_matches(name, known, 1, 0.5)
    return f"the nearest that it has is np.{close[0]}" if close else "x.numpy() brings the values to the host"


def call_ufunc(
    array: DeviceArray, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A ufunc, or its ``reduce``, on arrays of a device."""
    out = kwargs.pop("out", None)
    target = out[0] if isinstance(out, tuple) else out
    name = ufunc.__name__
    if target is not None and not isinstance(target, DeviceArray):
        raise UnsupportedError(f"np.{name} on a device cannot write into {type(target).__name__} of the host")
    if method == "reduce" and name in REDUCTIONS:
        axis, dtype, keepdims = kwargs.pop("axis", 0), kwargs.pop("dtype", None), kwargs.pop("keepdims", False)
        _refuse(f"np.{name}.reduce", kwargs)
        return _array(inputs[0]).reduce(REDUCTIONS[name], axis, keepdims, target, dtype)
    if name == "divmod" and method == "__call__":
        return tuple(call_ufunc(array, each, method, inputs, dict(kwargs)) for each in (np.floor_divide, np.remainder))
    if method != "__call__" or name not in table():
        shown = name if method == "__call__" else f"{name}.{method}"
        raise UnsupportedError(f"np.{shown} is not supported on a device; {nearest(name)}")
    _refuse(f"np.{name}", kwargs)
    return array.machine.compute(name, tuple(array.operand(each) for each in inputs), {}, target)


def call_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A NumPy function on arrays of a device."""
    found = functions().get(function)
    if found is None:
        name = function.__name__
        raise UnsupportedError(f"np.{name} is not supported on a device; {nearest(name)}")
    try:
        return found(*args, **kwargs)
    except DeviceError:
        raise
    except TypeError as error:
        text = str(error).replace(f"{found.__name__}()", f"np.{function.__name__} on a device")
        raise UnsupportedError(text) from None


def _refuse(name: str, kwargs: dict[str, Any]) -> None:
    given = [key for key, value in kwargs.items() if value is not None and value is not np._NoValue]
    if given:
        raise UnsupportedError(f"{name} on a device does not take {', '.join(given)}; x.astype(dtype) converts")


def _array(value: Any) -> DeviceArray:
    if isinstance(value, DeviceArray):
        return value
    raise UnsupportedError(
        f"this needs an array of a device, not {type(value).__name__}; device.array(host) copies it up"
    )


def _join(name: str, arrays: Sequence[Any], axis: int, out: DeviceArray | None, dtype: object) -> DeviceArray:
    parts = [_array(each) for each in arrays]
    if not parts:
        raise ShapeError(f"np.{name} needs one array at least")
    if dtype is not None:
        parts = [part.astype(dtype, copy=False) for part in parts]
    return parts[0].compute(name, tuple(parts), {"axis": layouts.integer(axis, "an axis")}, out)


def concatenate(
    arrays: Sequence[Any], axis: int | None = 0, out: DeviceArray | None = None, *, dtype: object = None
) -> DeviceArray:
    if axis is None:
        return _join("concatenate", [_array(each).ravel() for each in arrays], 0, out, dtype)
    return _join("concatenate", arrays, axis, out, dtype)


def stack(arrays: Sequence[Any], axis: int = 0, out: DeviceArray | None = None, *, dtype: object = None) -> DeviceArray:
    return _join("stack", arrays, axis, out, dtype)


def vstack(tup: Sequence[Any]) -> DeviceArray:
    return _join("concatenate", [atleast_2d(each) for each in tup], 0, None, None)


def hstack(tup: Sequence[Any]) -> DeviceArray:
    arrays = [atleast_1d(each) for each in tup]
    return _join("concatenate", arrays, 0 if arrays and arrays[0].ndim == 1 else 1, None, None)


def array_split(ary: DeviceArray, indices_or_sections: Any, axis: int = 0) -> list[DeviceArray]:
    length = ary.shape[layouts.normalize_axis(axis, ary.ndim)]
    if isinstance(indices_or_sections, (int, np.integer)):
        sections = int(indices_or_sections)
        if sections < 1:
            raise ShapeError(f"an array is split into one piece at least, not {sections}")
        base, rest = divmod(length, sections)
        edges = [count * base + min(count, rest) for count in range(sections + 1)]
        pairs = list(pairwise(edges))
    else:
        points = [layouts.integer(each, "an index") for each in indices_or_sections]
        pairs = list(zip([0, *points], [*points, length], strict=True))
    before = (slice(None),) * (axis % ary.ndim)
    return [ary[(*before, slice(start, stop))] for start, stop in pairs]


def split(ary: DeviceArray, indices_or_sections: Any, axis: int = 0) -> list[DeviceArray]:
    if isinstance(indices_or_sections, (int, np.integer)):
        length = ary.shape[layouts.normalize_axis(axis, ary.ndim)]
        if indices_or_sections < 1 or length % int(indices_or_sections):
            raise ShapeError(
                f"np.split of {length} into {indices_or_sections} equal pieces is impossible; "
                "np.array_split gives uneven ones, np.pad makes the length divide"
            )
    return array_split(ary, indices_or_sections, axis)


def pad(array: DeviceArray, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> DeviceArray:
    if mode != "constant":
        raise UnsupportedError(f'np.pad on a device pads with mode="constant", not {mode!r}')
    if isinstance(pad_width, dict):
        named = {layouts.normalize_axis(a, array.ndim): w for a, w in pad_width.items()}
        pad_width = [named.get(a, (0, 0)) for a in range(array.ndim)]
        pad_width = [(w, w) if isinstance(w, int) else w for w in pad_width]
    try:
        widths = np.broadcast_to(np.asarray(pad_width, dtype=int), (array.ndim, 2)).tolist()
    except ValueError:
        raise ShapeError(f"pad_width {pad_width} does not fit an array of {array.ndim} dimensions") from None
    if any(width < 0 for pair in widths for width in pair):
        raise ShapeError("np.pad cannot take elements away; slice instead")
    if not isinstance(constant_values, (bool, int, float, np.number, np.bool_)):
        raise UnsupportedError("np.pad on a device takes one number as constant_values")
    value = constant_values.item() if isinstance(constant_values, np.generic) else constant_values
    return array.compute("pad", (array,), {"widths": [tuple(pair) for pair in widths], "value": value})


def _like(a: DeviceArray, dtype: object, shape: Any, fill: int | None) -> DeviceArray:
    lengths = a.shape if shape is None else layouts.lengths(shape)
    return a.machine.create(a.storage.rank, lengths, a.dtype if dtype is None else dtype, fill)


def empty_like(prototype: DeviceArray, dtype: object = None, *, shape: Any = None) -> DeviceArray:
    return _like(prototype, dtype, shape, None)


def zeros_like(a: DeviceArray, dtype: object = None, *, shape: Any = None) -> DeviceArray:
    return _like(a, dtype, shape, 0)


def ones_like(a: DeviceArray, dtype: object = None, *, shape: Any = None) -> DeviceArray:
    return full_like(a, 1, dtype, shape=shape)


def full_like(a: DeviceArray, fill_value: Any, dtype: object = None, *, shape: Any = None) -> DeviceArray:
    made = _like(a, dtype, shape, None)
    made[...] = fill_value
    return made


def where(condition: Any, x: Any, y: Any) -> DeviceArray:
    first = next(each for each in (condition, x, y) if isinstance(each, DeviceArray))
    return first.compute("where", tuple(first.operand(each) for each in (condition, x, y)), {})


def copyto(dst: DeviceArray, src: Any, casting: str = "same_kind") -> None:
    _array(dst)[...] = src


def roll(a: DeviceArray, shift: int, axis: int | None = None) -> DeviceArray:
    source = a.ravel() if axis is None else a
    place = layouts.normalize_axis(axis or 0, source.ndim)
    length = source.shape[place]
    cut = -shift % length if length else 0
    before = (slice(None),) * place
    rolled = concatenate([source[(*before, slice(cut, None))], source[(*before, slice(cut))]], place)
    return rolled.reshape(a.shape)


def flip(m: DeviceArray, axis: Axis = None) -> DeviceArray:
    chosen = layouts.normalize_axes(axis, m.ndim)
    return m[tuple(slice(None, None, -1) if a in chosen else slice(None) for a in range(m.ndim))]


def broadcast_to(array: DeviceArray, shape: Any) -> DeviceArray:
    return array.view_as(layouts.broadcast(array.layout, layouts.lengths(shape)))


def expand_dims(a: DeviceArray, axis: int | tuple[int, ...]) -> DeviceArray:
    ndim = a.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    chosen = layouts.normalize_axes(axis, ndim)
    return a[tuple(None if position in chosen else slice(None) for position in range(ndim))]


def atleast_1d(*arys: Any) -> Any:
    made = tuple(_array(each).reshape(each.shape or (1,)) for each in arys)
    return made[0] if len(made) == 1 else made


def atleast_2d(*arys: Any) -> Any:
    made = tuple(each if each.ndim > 1 else each.reshape(1, -1) for each in map(_array, arys))
    return made[0] if len(made) == 1 else made


def moveaxis(a: DeviceArray, source: int, destination: int) -> DeviceArray:
    order = list(range(a.ndim))
    moved = order.pop(layouts.normalize_axis(source, a.ndim))
    order.insert(layouts.normalize_axis(destination, a.ndim), moved)
    return a.transpose(order)


def outer(a: DeviceArray, b: DeviceArray) -> DeviceArray:
    return _array(a).reshape(-1, 1) * _array(b).reshape(1, -1)


def dot(a: DeviceArray, b: DeviceArray) -> DeviceArray:
    if not _array(a).shape or not _array(b).shape:
        return a.compute("multiply", (a, b), {})
    if a.ndim > 2 or b.ndim > 2:
        raise UnsupportedError("np.dot on a device takes one or two dimensions; np.matmul takes more")
    return a.compute("matmul", (a, b), {})


def norm(x: DeviceArray, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> DeviceArray:
    if ord not in (None, 2, "fro") or (ord == 2 and x.ndim > 1 and axis is None):
        raise UnsupportedError("np.linalg.norm on a device is the Euclidean norm; write others with np.sum and np.max")
    squares = x.compute("multiply", (x, x), {})
    total = squares.sum(axis=axis, keepdims=keepdims)
    return total.compute("sqrt", (total,), {})


def tril(m: DeviceArray, k: int = 0) -> DeviceArray:
    return m.compute("tril", (m,), {"k": layouts.integer(k, "k")})


def triu(m: DeviceArray, k: int = 0) -> DeviceArray:
    return m.compute("triu", (m,), {"k": layouts.integer(k, "k")})


def tile(A: DeviceArray, reps: Any) -> DeviceArray:
    counts = layouts.lengths(reps)
    ndim = max(A.ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    lengths = (1,) * (ndim - A.ndim) + A.shape
    # Each axis becomes two, the repetition and the element; a copy of that view has them in order.
    pairs = A.reshape(tuple(length for each in lengths for length in (1, each)))
    repeated = broadcast_to(pairs, tuple(length for pair in zip(counts, lengths, strict=True) for length in pair))
    return repeated.copy().reshape(tuple(count * length for count, length in zip(counts, lengths, strict=True)))


def repeat(a: DeviceArray, repeats: int, axis: int | None = None) -> DeviceArray:
    source = a.ravel() if axis is None else a
    place = layouts.normalize_axis(axis or 0, source.ndim)
    count = layouts.integer(repeats, "the number of repeats")
    before, length, after = source.shape[:place], source.shape[place], source.shape[place + 1 :]
    column = source.reshape((*before, length, 1, *after))
    return broadcast_to(column, (*before, length, count, *after)).copy().reshape((*before, length * count, *after))


def may_share_memory(a: Any, b: Any) -> bool:
    return isinstance(a, DeviceArray) and isinstance(b, DeviceArray) and a.storage is b.storage


def reshape(a: DeviceArray, shape: Any, order: str = "C") -> DeviceArray:
    return a.reshape(shape, order=order)


def transpose(a: DeviceArray, axes: Any = None) -> DeviceArray:
    return a.transpose(axes)


def clip(a: DeviceArray, a_min: Any = None, a_max: Any = None, out: Any = None, **bounds: Any) -> DeviceArray:
    given = {key: value for key, value in bounds.items() if value is not np._NoValue}
    low, high = (None if each is np._NoValue else each for each in (a_min, a_max))
    return _array(a).clip(given.pop("min", low), given.pop("max", high), out, **given)


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> DeviceArray:
    reference = b * 1.0  # unsigned integers have no negative differences
    close: DeviceArray = (abs(a - reference) <= atol + rtol * abs(reference)) & np.isfinite(reference) | (a == b)
    return close


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    return bool(isclose(a, b, rtol, atol).all())


def array_equal(a1: Any, a2: Any) -> bool:
    return np.shape(a1) == np.shape(a2) and bool((a1 == a2).all())


def astype(x: DeviceArray, dtype: object, /, *, copy: bool = True) -> DeviceArray:
    return x.astype(dtype, copy)


def copy(a: DeviceArray, order: str = "K") -> DeviceArray:
    return _array(a).copy()


def shape(a: DeviceArray) -> tuple[int, ...]:
    return a.shape


def ndim(a: DeviceArray) -> int:
    return a.ndim


def size(a: DeviceArray, axis: int | None = None) -> int:
    return a.size if axis is None else a.shape[layouts.normalize_axis(axis, a.ndim)]


def array_repr(a: DeviceArray) -> str:
    return repr(a)


def array_str(a: DeviceArray) -> str:
    return str(a)


def _method(name: str) -> Callable[..., Any]:
    def call(a: DeviceArray, *args: Any, **kwargs: Any) -> Any:
        given = {key: value for key, value in kwargs.items() if value is not np._NoValue}
        return getattr(_array(a), name)(*args, **given)

    call.__name__ = name
    return call


METHODS: tuple[Callable[..., Any], ...] = (
    np.sum, np.prod, np.mean, np.max, np.min, np.any, np.all, np.argmax, np.argmin, np.var, np.std, np.cumsum,
    np.ravel, np.swapaxes, np.squeeze, np.take,
)  # fmt: skip
OWN: tuple[Callable[..., Any], ...] = (
    allclose, array_equal, array_repr, array_split, array_str, astype, atleast_1d, atleast_2d, broadcast_to, clip,
    concatenate, copy, copyto, dot, empty_like, expand_dims, flip, full_like, hstack, isclose, may_share_memory,
    moveaxis, ndim, ones_like, outer, pad, repeat, reshape, roll, shape, size, split, stack, tile, transpose, tril,
    triu, vstack, where, zeros_like,
)  # fmt: skip


@cache
def functions() -> dict[Callable[..., Any], Callable[..., Any]]:
    """NumPy's functions that devices have, each with what does it here."""
    found = {getattr(np, each.__name__): each for each in OWN if hasattr(np, each.__name__)}
    found |= {each: _method(each.__name__) for each in METHODS}
    found |= {np.shares_memory: may_share_memory, np.linalg.norm: norm}
    return found
