"""Views as arithmetic: which elements of a storage an array shows. Pure functions that follow NumPy's rules."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from .errors import ShapeError, UnsupportedError

MOST_DIMENSIONS = 32
MOST_ELEMENTS = 2**50


class Layout(NamedTuple):
    """Element (i, j, …) of the array is element ``offset + i*strides[0] + j*strides[1] + …`` of its storage."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """Whether the elements follow one another in index order without gaps."""
        if self.strides == packed(self.shape).strides or 0 in self.shape:
            return True
        step = 1
        for length, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if length != 1 and stride != step:
                return False
            step *= length
        return True

    @property
    def nested(self) -> bool:
        """Whether each stride is beyond what the smaller ones reach, as in every view but for broadcast axes.

        >>> packed((2, 3)).nested, Layout(0, (2, 3), (1, 1)).nested
        (True, False)
        """
        reach = 0
        for stride, length in self.axes:
            if stride <= reach:
                return False
            reach += (length - 1) * stride
        return True

    @property
    def axes(self) -> list[tuple[int, int]]:
        """Stride, without its sign, and length of each axis that shows several stored elements; short strides first."""
        pairs = zip(self.shape, self.strides, strict=True)
        return sorted([(abs(stride), length) for length, stride in pairs if length > 1 and stride])

    @property
    def overlaps_itself(self) -> bool:
        """Whether one stored element is shown at several indices, as broadcasting does."""
        return 0 in self.strides and any(
            stride == 0 and length > 1 for length, stride in zip(self.shape, self.strides, strict=True)
        )

    @property
    def bounds(self) -> tuple[int, int]:
        """The half-open range of stored elements between the first and the last that is shown."""
        if self.size == 0:
            return self.offset, self.offset
        spans = [(length - 1) * stride for length, stride in zip(self.shape, self.strides, strict=True)]
        low = self.offset + sum(span for span in spans if span < 0)
        return low, self.offset + sum(span for span in spans if span > 0) + 1

    def touches(self, low: int, high: int) -> bool:
        """Whether an element that is shown is one of the stored elements from ``low`` to before ``high``.

        The layout is nested.

        >>> columns = Layout(0, (4, 2), (8, 1))
        >>> columns.touches(0, 1), columns.touches(2, 8)
        (True, False)
        """
        gap = high - 1 - self.bounds[0]
        if gap < 0 or 0 in self.shape:
            return False
        # From the first element as far towards the last before ``high`` as each axis leads, the longest stride first.
        for stride, length in reversed(self.axes):
            gap -= min(length - 1, gap // stride) * stride
        return high - 1 - gap >= low


@lru_cache(4096)
def packed(shape: tuple[int, ...]) -> Layout:
    """The layout of a new array.

    >>> packed((2, 3))
    Layout(offset=0, shape=(2, 3), strides=(3, 1))
    """
    strides = []
    step = 1
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return Layout(0, shape, tuple(reversed(strides)))


def integer(value: Any, what: str) -> int:
    """``value`` as an int, if it is one; ``what`` says in the error what it was to be."""
    try:
        return int(operator.index(value))
    except TypeError:
        raise ShapeError(f"{what} is an integer, not {value!r}") from None


def lengths(shape: Any) -> tuple[int, ...]:
    """A shape given as an integer or a sequence of integers.

    >>> lengths(3), lengths([2, 3])
    ((3,), (2, 3))
    """
    given = shape if isinstance(shape, (tuple, list)) else (shape,)
    return tuple([each if type(each) is int else integer(each, "a length") for each in given])


@lru_cache(4096)
def check_shape(shape: tuple[int, ...]) -> None:
    """Refuse what is no shape of an array, also of one without elements or of a broadcast view."""
    if len(shape) > MOST_DIMENSIONS:
        raise ShapeError(f"an array has at most {MOST_DIMENSIONS} dimensions, not {len(shape)}")
    if min(shape, default=0) < 0:
        raise ShapeError(f"{shape} is not a shape: lengths are 0 or more")
    if math.prod([length or 1 for length in shape]) > MOST_ELEMENTS:
        raise ShapeError(f"{shape} is not a shape of an array: its lengths are too large")


def normalize_axis(axis: int, ndim: int) -> int:
    """A non-negative axis; an error that says which axes there are."""
    axis = integer(axis, "an axis")
    if not -ndim <= axis < ndim:
        raise ShapeError(f"axis {axis} is out of range for an array of {ndim} dimensions")
    return axis % ndim


def index(layout: Layout, key: object) -> Layout:
    """Basic indexing: integers, slices, ``...`` and ``None``.

    >>> index(packed((4, 3)), (slice(1, 3), 0))
    Layout(offset=3, shape=(2,), strides=(3,))
    """
    parts = key if isinstance(key, tuple) else (key,)
    used = sum([part is not None and part is not Ellipsis for part in parts])
    ellipses = sum([part is Ellipsis for part in parts])
    if ellipses > 1:
        raise ShapeError("an index can have only one '...'")
    if used > len(layout.shape):
        raise ShapeError(f"too many indices: {used} for an array of {len(layout.shape)} dimensions")
    if not ellipses:
        parts = (*parts, Ellipsis)
    offset, axis = layout.offset, 0
    shape: list[int] = []
    strides: list[int] = []
    for part in parts:
        if part is None:
            shape.append(1)
            strides.append(0)
        elif part is Ellipsis:
            skipped = len(layout.shape) - used
            shape += layout.shape[axis : axis + skipped]
            strides += layout.strides[axis : axis + skipped]
            axis += skipped
        elif isinstance(part, slice):
            if part.step == 0:
                raise ShapeError("the step of a slice cannot be 0")
            start, stop, step = part.indices(layout.shape[axis])
            length = len(range(start, stop, step))
            shape.append(length)
            strides.append(layout.strides[axis] * step)
            offset += start * layout.strides[axis]
            axis += 1
        elif isinstance(part, int) and not isinstance(part, bool):
            length = layout.shape[axis]
            if not -length <= part < length:
                raise ShapeError(f"index {part} is out of range for axis {axis} of length {length}")
            offset += (part % length) * layout.strides[axis]
            axis += 1
        else:
            raise UnsupportedError(
                f"indexing by {type(part).__name__} is not supported; use integers, slices, '...' and None, "
                "np.take for chosen rows, or np.where instead of a mask"
            )
    if len(shape) > MOST_DIMENSIONS:
        check_shape(tuple(shape))
    # No element is shown, so nothing is beyond the storage.
    return packed(tuple(shape)) if 0 in shape else Layout(offset, tuple(shape), tuple(strides))


@lru_cache(4096)
def resolve_shape(size: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """``shape`` with its one ``-1`` filled in so that it has ``size`` elements.

    >>> resolve_shape(6, (-1, 2))
    (3, 2)
    """
    unknown = shape.count(-1)
    if unknown > 1 or min(shape, default=0) < -1:
        raise ShapeError(f"{shape} is not a shape: at most one length may be -1")
    known = abs(math.prod(shape))  # -1 changes no more than the sign
    if unknown and known and size % known == 0:
        shape = tuple(size // known if length == -1 else length for length in shape)
    elif unknown or known != size:
        raise ShapeError(f"an array of {size} elements does not fit into shape {shape}")
    check_shape(shape)
    return shape


def normalize_axes(axes: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """The axes that one axis, several or None (all of them) stand for; each at most once.

    >>> normalize_axes(-1, 3), normalize_axes(None, 3)
    ((2,), (0, 1, 2))
    """
    if axes is None:
        return tuple(range(ndim))
    found = tuple(normalize_axis(axis, ndim) for axis in (axes if isinstance(axes, (tuple, list)) else (axes,)))
    if len(set(found)) != len(found):
        raise ShapeError(f"axes {axes} name an axis twice")
    return found


def reshape(layout: Layout, shape: tuple[int, ...]) -> Layout | None:
    """The view of ``layout`` with another shape, or None where only a copy can have it."""
    if layout.contiguous:
        return Layout(layout.offset, shape, packed(shape).strides)
    old = [pair for pair in zip(layout.shape, layout.strides, strict=True) if pair[0] != 1]
    strides = [0] * len(shape)
    at = axis = 0
    while at < len(old):
        # The smallest runs of old and new axes with the same number of elements.
        first, old_size, new_size, start = at, old[at][0], 1, axis
        at += 1
        while old_size != new_size:
            if new_size < old_size:
                new_size *= shape[axis]
                axis += 1
            else:
                old_size *= old[at][0]
                at += 1
        for left, right in zip(old[first : at - 1], old[first + 1 : at], strict=True):
            if left[1] != right[0] * right[1]:
                return None
        step = old[at - 1][1]
        for position in range(axis - 1, start - 1, -1):
            strides[position] = step
            step *= shape[position]
    return Layout(layout.offset, shape, tuple(strides))


def transpose(layout: Layout, axes: tuple[int, ...] | None = None) -> Layout:
    """The axes in another order; reversed by default."""
    ndim = len(layout.shape)
    order = tuple(reversed(range(ndim))) if axes is None else normalize_axes(axes, ndim)
    if len(order) != ndim:
        raise ShapeError(f"{axes} is not an order of the {ndim} axes")
    return Layout(layout.offset, tuple([layout.shape[a] for a in order]), tuple([layout.strides[a] for a in order]))


def squeeze(layout: Layout, axis: int | tuple[int, ...] | None = None) -> Layout:
    """Without axes of length 1: all of them, or those named."""
    ndim = len(layout.shape)
    drop = [a for a in range(ndim) if layout.shape[a] == 1] if axis is None else normalize_axes(axis, ndim)
    for a in drop:
        if layout.shape[a] != 1:
            raise ShapeError(f"axis {a} has length {layout.shape[a]}, only length 1 can be squeezed")
    keep = [a for a in range(ndim) if a not in drop]
    return Layout(layout.offset, tuple(layout.shape[a] for a in keep), tuple(layout.strides[a] for a in keep))


def broadcast(layout: Layout, shape: tuple[int, ...]) -> Layout:
    """The array repeated to ``shape`` without copying."""
    extra = len(shape) - len(layout.shape)
    if extra < 0 or any(have not in (1, want) for have, want in zip(layout.shape, shape[extra:], strict=True)):
        raise ShapeError(f"shape {layout.shape} cannot be broadcast to {shape}")
    check_shape(shape)
    strides = tuple(
        0 if have == 1 and want != 1 else stride
        for have, want, stride in zip(layout.shape, shape[extra:], layout.strides, strict=True)
    )
    return Layout(layout.offset, shape, (0,) * extra + strides)
