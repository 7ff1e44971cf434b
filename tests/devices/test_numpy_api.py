"""NumPy's functions on arrays of a device, against NumPy on the host."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from grader.devices import Back, Cluster, DeviceArray, DeviceError
from grader.devices.errors import HostAccessError, ShapeError, UnsupportedError
from grader.devices.numpy_api import functions, nearest

from .device_samples import arrays, check_like_numpy, upload

FORMS: dict[Any, list[Any]] = {
    np.allclose: [],
    np.array_equal: [],
    np.array_repr: [],
    np.array_split: [lambda x: np.array_split(x, 3), lambda x: np.array_split(x, [1, 2], axis=-1)],
    np.array_str: [],
    np.astype: [lambda x: np.astype(x, np.float32)],
    np.atleast_1d: [lambda x: np.atleast_1d(x), lambda x: np.atleast_1d(x, x[..., None])],
    np.atleast_2d: [lambda x: np.atleast_2d(x), lambda x: np.atleast_2d(x, x)],
    np.broadcast_to: [lambda x: np.broadcast_to(x, (2, *x.shape)), lambda x: np.broadcast_to(x, 3)],
    np.clip: [
        lambda x: np.clip(x, 0, 2),
        lambda x: np.clip(x, None, 2),
        lambda x: np.clip(x, a_min=1, a_max=None),
        lambda x: np.clip(x, min=1, max=2),
        lambda x: np.clip(x, 1.5, 300),
        lambda x: np.clip(x, x[:1], x),
        lambda x: x.clip(max=1),
    ],
    np.concatenate: [
        lambda x: np.concatenate([x, x]),
        lambda x: np.concatenate([x, x[:1]], axis=0),
        lambda x: np.concatenate((x, x.astype("float64")), axis=-1),
        lambda x: np.concatenate([x, x.astype("int8")], axis=None),
        lambda x: np.concatenate([x, x], dtype="float32"),
        lambda x: np.concatenate([x, x.T], axis=1),
    ],
    np.copy: [lambda x: np.copy(x)],
    np.copyto: [],
    np.dot: [lambda x: np.dot(x, x), lambda x: np.dot(x, x.T), lambda x: np.dot(x[..., 0], x[..., 0])],
    np.empty_like: [lambda x: np.empty_like(x, shape=0), lambda x: np.empty_like(x, "int8", shape=(0, 2))],
    np.expand_dims: [
        lambda x: np.expand_dims(x, 0),
        lambda x: np.expand_dims(x, (0, -1)),
        lambda x: np.expand_dims(x, 9),
    ],
    np.flip: [lambda x: np.flip(x), lambda x: np.flip(x, 0), lambda x: np.flip(x, (0, -1))],
    np.full_like: [lambda x: np.full_like(x, 3), lambda x: np.full_like(x, 3, dtype="int8", shape=(2, 1))],
    np.hstack: [lambda x: np.hstack([x, x]), lambda x: np.hstack((x, x[..., :1]))],
    np.isclose: [lambda x: np.isclose(x, x * 1.000001), lambda x: np.isclose(x, x + 1, atol=2.0)],
    np.linalg.norm: [
        lambda x: np.linalg.norm(x.astype("float64")),
        lambda x: np.linalg.norm(x.astype("float64"), axis=0),
    ],
    np.may_share_memory: [],
    np.moveaxis: [lambda x: np.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, 7)],
    np.ndim: [lambda x: np.full_like(x, np.ndim(x))],
    np.ones_like: [lambda x: np.ones_like(x), lambda x: np.ones_like(x, dtype=bool)],
    np.outer: [lambda x: np.outer(x, x)],
    np.pad: [
        lambda x: np.pad(x, 1),
        lambda x: np.pad(x, (1, 2)),
        lambda x: np.pad(x, [(0, 1)] * x.ndim),
        lambda x: np.pad(x, ((1, 0),), constant_values=7),
        lambda x: np.pad(x, {-1: (0, 2)}),
        lambda x: np.pad(x, [(1, 2)] * 4),
        lambda x: np.pad(x, -1),
    ],
    np.repeat: [lambda x: np.repeat(x, 2), lambda x: np.repeat(x, 3, axis=-1), lambda x: np.repeat(x, 0, axis=0)],
    np.reshape: [lambda x: np.reshape(x, (-1, 1)), lambda x: np.reshape(x, -1), lambda x: np.reshape(x, shape=(5,))],
    np.roll: [lambda x: np.roll(x, 1), lambda x: np.roll(x, -4, axis=0), lambda x: np.roll(x, 2, axis=-1)],
    np.shape: [lambda x: np.full_like(x, len(np.shape(x)))],
    np.shares_memory: [],
    np.size: [lambda x: np.full_like(x, np.size(x), dtype=int), lambda x: np.full_like(x, np.size(x, 0), dtype=int)],
    np.split: [lambda x: np.split(x, 1), lambda x: np.split(x, 2, axis=-1), lambda x: np.split(x, [1], axis=0)],
    np.stack: [lambda x: np.stack([x, x]), lambda x: np.stack([x, x], axis=-1), lambda x: np.stack([x, x[:1]])],
    np.tile: [lambda x: np.tile(x, 2), lambda x: np.tile(x, (2, 1, 3)), lambda x: np.tile(x, (0, 1))],
    np.transpose: [lambda x: np.transpose(x), lambda x: np.transpose(x, axes=(1, 0)), lambda x: np.transpose(x, (0,))],
    np.tril: [lambda x: np.tril(x), lambda x: np.tril(x, -1)],
    np.triu: [lambda x: np.triu(x), lambda x: np.triu(x, k=1)],
    np.vstack: [lambda x: np.vstack([x, x])],
    np.where: [
        lambda x: np.where(x > 1, x, 0),
        lambda x: np.where(x, 1.5, x),
        lambda x: np.where(True, x, x.astype("float64")),
        lambda x: np.where(x == x, x[:1], 100),
        lambda x: np.where(x, 1, 2),
    ],
    np.zeros_like: [lambda x: np.zeros_like(x), lambda x: np.zeros_like(x, shape=2)],
    np.ravel: [lambda x: np.ravel(x), lambda x: x.flatten()],
    np.swapaxes: [lambda x: np.swapaxes(x, 0, -1), lambda x: np.swapaxes(x, 0, 5)],
    np.squeeze: [lambda x: np.squeeze(x), lambda x: np.squeeze(x[None], axis=0), lambda x: np.squeeze(x, 0)],
    np.take: [
        lambda x: np.take(x, [0, -1, 0]),
        lambda x: np.take(x, 0, axis=0),
        lambda x: np.take(x, np.array([1, 0]), axis=-1),
        lambda x: x.take(range(2), axis=0),
    ],
}
UFUNC_FORMS = [
    lambda x: np.add.reduce(x),
    lambda x: np.maximum.reduce(x, axis=-1),
    lambda x: np.add.reduce(x, axis=None, keepdims=True),
    lambda x: np.logical_and.reduce(x),
]
# Elsewhere NumPy has an answer, and devices refuse.
LEAST_DIMENSIONS = {np.tril: 2, np.triu: 2, np.squeeze: 1, np.take: 1, np.repeat: 1, np.add: 1, np.pad: 1}
MOST_DIMENSIONS = {np.dot: 2}
CASES = [(function, form) for function, forms in FORMS.items() for form in forms]
CASES += [(np.add, form) for form in UFUNC_FORMS]


def test_every_function_is_tried() -> None:
    reductions = {np.sum, np.prod, np.mean, np.max, np.min, np.any, np.all, np.argmax, np.argmin, np.var, np.std}
    assert set(functions()) == {*FORMS, *reductions, np.cumsum}  # those in test_operations


@pytest.mark.parametrize(("function", "form"), CASES, ids=lambda value: getattr(value, "__name__", ""))
@settings(max_examples=8)
@given(x=arrays())
def test_functions(function: Any, form: Any, x: np.ndarray) -> None:
    if not LEAST_DIMENSIONS.get(function, 0) <= x.ndim <= MOST_DIMENSIONS.get(function, 3):
        return
    if function is np.take and not x.size:
        return
    check_like_numpy(form, x, rtol=1e-6 if function is np.linalg.norm else 0)


@pytest.fixture
def x() -> DeviceArray:
    return Cluster(1).devices[0].array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda x: np.einsum("ij->i", x), "np.einsum is not supported on a device; np.matmul and transposes"),
        (lambda x: np.sort(x), "np.sort .* no sorting"),
        (lambda x: np.nonzero(x), "np.where"),
        (lambda x: np.modf(x), "np.trunc"),
        (lambda x: np.add.accumulate(x), "np.add.accumulate is not supported"),
        (lambda x: np.add(x, 1, dtype="float32"), "np.add on a device does not take dtype"),
        (lambda x: np.add(x, 1, where=x), "does not take where"),
        (lambda x: np.sum(x, initial=3), "initial"),
        (lambda x: np.pad(x, 1, mode="edge"), "mode=\"constant\", not 'edge'"),
        (lambda x: np.linalg.norm(x, 1), "Euclidean"),
        (lambda x: np.concatenate([x, np.zeros((2, 2))]), r"device.array\(host\)"),
        (lambda x: np.add(x, 1, out=np.zeros((2, 2))), "cannot write into ndarray of the host"),
        (lambda x: x.sort(), "no sort; there is no sorting"),
        (lambda x: x.strides, "no strides"),
        (lambda x: x.reshape(4, order="F"), "C order"),
        (lambda x: x[x > 1], "np.where instead of a mask"),
        (lambda x: x[np.ones((2, 2), bool)], "np.where instead of a mask"),
        (lambda x: x.__setitem__([0], 1), "assignment to chosen rows"),
        (lambda x: x + "a", "cannot be combined with str"),
        (lambda x: x + 1j, "cannot be combined with complex"),
        (lambda x: np.exp(x, out=(x, x)), "'out'|out"),
    ],
)
def test_what_is_missing_is_named_with_the_nearest_there_is(act: Any, says: str, x: DeviceArray) -> None:
    with pytest.raises((UnsupportedError, HostAccessError, ValueError), match=says):
        act(x)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("exp3", "the nearest that it has is np.exp"),
        ("zzz", "x.numpy() brings the values to the host"),
        ("tensordot", "reshape and np.matmul do it"),
    ],
)
def test_nearest(name: str, expected: str) -> None:
    assert nearest(name).startswith(expected)


def test_comparisons_of_whole_arrays(x: DeviceArray) -> None:
    y = x + 1e-9
    assert np.allclose(x, y)
    assert not np.allclose(x, x + 1)
    assert np.allclose(x, x + 1, atol=1)
    assert not np.array_equal(x, y)
    assert np.array_equal(x, x.copy())
    assert not np.array_equal(x, x[0])


def test_missing_attributes_are_attribute_errors(x: DeviceArray) -> None:
    assert not hasattr(x, "sort")
    assert getattr(x, "strides", None) is None
    assert not hasattr(x, "nothing_of_numpy")


@pytest.mark.parametrize(
    "act",
    [
        lambda x: np.asarray(x),
        lambda x: np.array(x),
        lambda x: np.array([x, x]),
        lambda x: np.ascontiguousarray(x),
        lambda x: np.float64(x),
        lambda x: np.ones((2, 2)) + x,
        lambda x: x + np.ones((2, 2)),
        lambda x: np.ones((2, 2)) @ x,
        lambda x: x == [[1, 2], [3, 4]],
        lambda x: x.device.array(x),
        lambda x: x.device.array([x, x]),
        lambda x: np.zeros((2, 2)).__setitem__(0, x),
    ],
)
def test_no_copy_to_the_host_without_a_name(act: Any, x: DeviceArray) -> None:
    before = len(x.machine.ledger.events)
    with pytest.raises(HostAccessError, match="device"):
        act(x)
    assert not [event for event in x.machine.ledger.events[before:] if type(event).__name__ == "HostCopy"]


def test_writing_in_place_on_the_host_names_the_host(x: DeviceArray) -> None:
    host = np.ones((2, 2))
    with pytest.raises(DeviceError, match="host"):
        host += x
    assert (host == 1).all()


@given(arrays(), arrays())
def test_copyto_and_assignment(x: np.ndarray, y: np.ndarray) -> None:
    def copied(x: Any, y: Any) -> Any:
        made = np.zeros_like(x, dtype=y.dtype, shape=(2, *x.shape))
        made[1, ...] = y
        return made

    if y.dtype.kind == "f" or x.dtype.kind != "f":
        check_like_numpy(copied, x, y)


@pytest.mark.parametrize(
    "value", [1, 1.5, True, 300, -1, 2**70, np.nan, np.inf, np.float32(2), np.int64(7), np.array(3)]
)
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "bool"])
def test_assigned_numbers(value: Any, dtype: str) -> None:
    def filled(x: Any) -> Any:
        made = x.astype(dtype)
        made[...] = value
        return made

    if not (dtype == "bool" and value == 2**70):  # refused, where NumPy has True
        check_like_numpy(filled, np.zeros(2))


@pytest.mark.parametrize(
    ("act", "same"),
    [
        (lambda x: x.T, True),
        (lambda x: x[0], True),
        (lambda x: x.reshape(4), True),
        (lambda x: x.ravel(), True),
        (lambda x: x.T.ravel(), False),
        (lambda x: x.T.reshape(4), False),
        (lambda x: x.flatten(), False),
        (lambda x: x.copy(), False),
        (lambda x: x.astype("float64", copy=False), True),
        (lambda x: x.astype("float64"), False),
        (lambda x: np.tile(x, 1), False),
        (lambda x: np.repeat(x, 1, axis=0), False),
        (lambda x: np.array_split(x, 2)[1], True),
        (lambda x: np.broadcast_to(x, (3, 2, 2)), True),
        (lambda x: x[[0, 1]], False),
        (lambda x: np.take(x, 0, axis=0), False),
        (lambda x: np.clip(x, None, None), False),
    ],
)
def test_views_share_storage_where_numpys_do(act: Any, same: bool, x: DeviceArray) -> None:
    made = act(x)
    assert np.shares_memory(x, made) is same
    host = x.numpy()
    assert np.shares_memory(host, act(host)) is same


def test_out_is_written_and_returned(x: DeviceArray) -> None:
    for act in (
        lambda: np.add(x, 1, out=x),
        lambda: np.exp(x, x),
        lambda: np.matmul(x, x, out=x),
        lambda: x.clip(0, 1, out=x),
        lambda: np.concatenate([x[:1], x[1:]], out=x),
    ):
        assert act() is x
    total = x.device.zeros(2, "float64")
    assert np.sum(x, axis=0, out=total) is total
    np.testing.assert_array_equal(total.numpy(), x.numpy().sum(0))
    with pytest.raises(ShapeError, match=r"sum gives shape \(2,\), the output has \(2, 2\)"):
        np.sum(x, axis=0, out=x)


@given(arrays(strided=True))
def test_samples_keep_their_strides(x: np.ndarray) -> None:
    """The tests above are about strided arrays too."""
    array = upload(Cluster(1).devices[0], x)
    np.testing.assert_array_equal(array.numpy(), x)
    assert x.size < 2 or array.layout.contiguous == x.flags.c_contiguous


def test_an_axis_of_any_integer_type_is_told_to_the_back_as_a_plain_one() -> None:
    told = []

    class Listening(Back):
        def compute(self, rank: int, operation: Any, inputs: Any, parameters: Any, *rest: Any) -> None:
            told.append(parameters)

    x = Cluster(1, back=Listening()).devices[0].zeros((2, 3))
    x.sum(axis=np.int64(1))
    x.std(axis=[np.int8(0), 1], ddof=np.float32(1))
    assert repr(told) == "[{'axis': 1}, {'axis': (0, 1), 'ddof': 1.0}]"
