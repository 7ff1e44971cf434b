"""Layouts against NumPy's own views: the same elements of the same memory."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.devices import layout as layouts
from grader.devices.errors import ShapeError, UnsupportedError
from grader.devices.layout import Layout

shapes = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def base(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(math.prod(shape), dtype=np.int64).reshape(shape)


def shown(layout: Layout, storage_size: int) -> np.ndarray:
    """What a layout shows of a storage whose element i has the value i."""
    storage = np.arange(max(storage_size, 1), dtype=np.int64)
    return np.ndarray(layout.shape, np.int64, storage, layout.offset * 8, tuple(8 * each for each in layout.strides))


@st.composite
def views(draw: Any) -> tuple[Layout, np.ndarray]:
    """A layout and NumPy's view, after some steps."""
    array = base(draw(shapes))
    layout = layouts.packed(array.shape)
    for _ in range(draw(st.integers(0, 3))):
        match draw(st.sampled_from(["index", "transpose", "broadcast"])):
            case "index":
                key = draw(hnp.basic_indices(array.shape, allow_newaxis=True, allow_ellipsis=True, max_dims=5))
                array = array[(key if isinstance(key, tuple) else (key,)) + (() if Ellipsis in _parts(key) else (...,))]
                layout = layouts.index(layout, key)
            case "transpose":
                axes = draw(st.permutations(range(array.ndim)))
                array, layout = array.transpose(axes), layouts.transpose(layout, tuple(axes))
            case "broadcast":
                shape = (*draw(st.lists(st.integers(0, 3), max_size=1)), *array.shape)
                array, layout = np.broadcast_to(array, shape), layouts.broadcast(layout, shape)
    return layout, array


def _parts(key: Any) -> tuple[Any, ...]:
    return tuple(part for part in (key if isinstance(key, tuple) else (key,)) if part is Ellipsis)


def same(layout: Layout, array: np.ndarray) -> None:
    assert layout.shape == array.shape
    root = array
    while root.base is not None and isinstance(root.base, np.ndarray):
        root = root.base
    np.testing.assert_array_equal(shown(layout, root.size), array)
    if array.size:
        address = (array.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // 8
        assert layout.offset == address
        for length, stride, real in zip(array.shape, layout.strides, array.strides, strict=True):
            assert length == 1 or stride * 8 == real


@given(views())
def test_steps_show_what_numpy_shows(view: tuple[Layout, np.ndarray]) -> None:
    same(*view)


@given(views())
def test_contiguous_is_numpys_flag(view: tuple[Layout, np.ndarray]) -> None:
    layout, array = view
    assert layout.contiguous == array.flags.c_contiguous


@given(views(), st.data())
def test_reshape_is_a_view_where_numpys_is(view: tuple[Layout, np.ndarray], data: st.DataObject) -> None:
    layout, array = view
    divisors = [each for each in range(1, array.size + 1) if array.size % each == 0] or [0, 1, 2]
    first = data.draw(st.sampled_from(divisors))
    shape = (first, array.size // first if first else 3)
    if data.draw(st.booleans()):
        shape = (*shape, 1)
    if math.prod(shape) != array.size:
        return
    expected = array.reshape(shape)
    found = layouts.reshape(layout, shape)
    if array.size == 0:
        assert found is not None
        assert found.shape == shape
    elif np.shares_memory(expected, array):
        assert found is not None
        same(found, expected)
    else:
        assert found is None


@given(views(), st.data())
def test_squeeze(view: tuple[Layout, np.ndarray], data: st.DataObject) -> None:
    layout, array = view
    same(layouts.squeeze(layout), array.squeeze())
    ones = [axis for axis, length in enumerate(array.shape) if length == 1]
    axes = tuple(data.draw(st.lists(st.sampled_from(ones), unique=True))) if ones else ()
    same(layouts.squeeze(layout, axes), array.squeeze(axes))


@given(views())
def test_bounds_hold_every_element(view: tuple[Layout, np.ndarray]) -> None:
    layout, array = view
    low, high = layout.bounds
    if array.size:
        assert (low, high) == (array.min(), array.max() + 1)
    else:
        assert low == high


@given(views(), st.integers(0, 20), st.integers(0, 20))
def test_touches_is_exact(view: tuple[Layout, np.ndarray], low: int, length: int) -> None:
    layout, array = view
    assert layout.touches(low, low + length) == bool(((array >= low) & (array < low + length)).any())


@given(views())
def test_every_view_is_nested(view: tuple[Layout, np.ndarray]) -> None:
    assert view[0].nested


def test_what_a_huge_view_touches_is_known_without_a_look_at_each_element() -> None:
    assert not Layout(0, (10**9, 10**9, 2), (0, 16, 8)).touches(2, 6)
    assert Layout(0, (10**9, 10**9, 2), (0, 16, 8)).touches(16 * 10**6 + 2, 16 * 10**6 + 9)


@given(views())
def test_overlaps_itself_where_an_element_is_shown_twice(view: tuple[Layout, np.ndarray]) -> None:
    layout, array = view
    if array.size:
        assert layout.overlaps_itself == (len(np.unique(array)) < array.size)


@pytest.mark.parametrize(
    ("size", "shape", "expected"),
    [(6, (-1, 2), (3, 2)), (6, (6,), (6,)), (0, (0, 3), (0, 3)), (0, (-1, 3), (0, 3)), (1, (), ())],
)
def test_resolve_shape(size: int, shape: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert layouts.resolve_shape(size, shape) == expected


@pytest.mark.parametrize(("size", "shape"), [(6, (4,)), (6, (-1, -1)), (6, (-1, 4)), (0, (0, -1)), (6, (-2, -3))])
def test_resolve_shape_refuses(size: int, shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError):
        layouts.resolve_shape(size, shape)


@pytest.mark.parametrize(
    ("key", "error", "says"),
    [
        (4, ShapeError, "index 4 is out of range for axis 0 of length 3"),
        ((0, 0, 0), ShapeError, "too many indices: 3"),
        ((..., ...), ShapeError, "only one"),
        (slice(None, None, 0), ShapeError, "step"),
        (True, UnsupportedError, "indexing by bool"),
        ("a", UnsupportedError, "indexing by str"),
    ],
)
def test_index_refuses(key: object, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        layouts.index(layouts.packed((3, 2)), key)


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda x: layouts.transpose(x, (0, 0)), "twice"),
        (lambda x: layouts.transpose(x, (0,)), "order of the 2 axes"),
        (lambda x: layouts.transpose(x, (0, 2)), "axis 2 is out of range"),
        (lambda x: layouts.squeeze(x, 0), "length 3"),
        (lambda x: layouts.broadcast(x, (3, 3)), "cannot be broadcast"),
        (lambda x: layouts.normalize_axis(1.5, 2), "an axis is an integer"),
        (lambda x: layouts.broadcast(x, (2**40, 2**40, 3, 2)), "too large"),
        (lambda x: layouts.broadcast(x, (1,) * 31 + (3, 2)), "at most 32 dimensions, not 33"),
        (lambda x: layouts.index(x, (None,) * 31), "at most 32 dimensions, not 33"),
        (lambda x: layouts.resolve_shape(0, (0, 2**62)), "too large"),
    ],
)
def test_views_refuse(act: Any, says: str) -> None:
    with pytest.raises(ShapeError, match=says):
        act(layouts.packed((3, 2)))
