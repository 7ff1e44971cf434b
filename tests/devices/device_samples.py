"""Host arrays as Hypothesis draws them, and the same arrays on a device."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.devices import Back, Cluster, Device, DeviceArray, DeviceError

DTYPES = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool")
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)


def dtypes(names: tuple[str, ...] = DTYPES) -> st.SearchStrategy[np.dtype[Any]]:
    return st.sampled_from(names).map(np.dtype)


def values(dtype: np.dtype[Any]) -> st.SearchStrategy[Any]:
    """Small numbers, of which sums are exact, and for floats what is no number."""
    if dtype.kind == "f":
        return st.one_of(st.integers(-8, 8).map(float), st.sampled_from([0.5, -0.0, np.inf, -np.inf, np.nan]))
    if dtype.kind == "b":
        return st.booleans()
    return st.integers(0 if dtype.kind == "u" else -8, 8)


@st.composite
def arrays(draw: Any, shapes: Any = SHAPES, dtype: Any = None, strided: bool = True) -> np.ndarray:
    """A host array, perhaps a view with strides."""
    chosen = np.dtype(dtype) if dtype is not None else draw(dtypes())
    shape = draw(shapes) if isinstance(shapes, st.SearchStrategy) else shapes
    array = draw(hnp.arrays(chosen, shape, elements=values(chosen)))
    if strided and array.ndim and draw(st.booleans()):
        array = np.stack([array, array[::-1]], axis=-1)[..., 0]
    if strided and array.ndim > 1 and draw(st.booleans()):
        array = np.asfortranarray(array)
    return array


def upload(device: Device, host: np.ndarray) -> DeviceArray:
    """The array on a device, with the strides that it has on the host."""
    if host.ndim == 0 or host.flags.c_contiguous:
        return device.array(host)
    if host.flags.f_contiguous:
        return device.array(np.ascontiguousarray(host.T)).T
    doubled = np.stack([host, host], axis=-1)
    return device.array(doubled)[..., 0]


def check_like_numpy(act: Callable[..., Any], *arrays: np.ndarray, rtol: float = 0) -> None:
    """``act`` on arrays of a device gives what it gives on the host: shape, dtype, values, or an error.

    The shape and dtype are also what a cluster without data says.
    """
    device = Cluster(1).devices[0]
    inputs = [upload(device, each) for each in arrays]
    shapeless = Cluster(1, back=Back()).devices[0]
    bare = [upload(shapeless, each) for each in arrays]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = act(*arrays)
    except (TypeError, ValueError, OverflowError, IndexError, AttributeError) as refusal:
        try:
            got = act(*inputs)
        except DeviceError:
            return
        raise AssertionError(f"NumPy refuses: {refusal}; a device gives {got}") from None
    compare(act(*inputs), act(*bare), expected, rtol)
    for before, after in zip(arrays, inputs, strict=True):
        np.testing.assert_array_equal(after.numpy(), before)


def compare(got: Any, bare: Any, expected: Any, rtol: float = 0) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(got) == len(bare) == len(expected)
        for each in zip(got, bare, expected, strict=True):
            compare(*each, rtol)
        return
    assert isinstance(got, DeviceArray)
    host = got.numpy()
    assert (host.shape, host.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    assert (bare.shape, bare.dtype) == (host.shape, host.dtype)
    if rtol:
        np.testing.assert_allclose(host, expected, rtol=rtol, equal_nan=True)
    else:
        np.testing.assert_array_equal(host, expected)
