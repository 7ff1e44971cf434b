"""DeviceArray where it is more than NumPy's functions: operators, values on the host, copies."""

import copy
import operator
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.devices import Cluster, DeviceArray, DeviceError
from grader.devices.errors import DtypeError, HostAccessError, ShapeError, UnsupportedError

from .device_samples import arrays, check_like_numpy, values

BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.matmul, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, operator.eq,
    operator.ne, operator.lt, operator.le, operator.gt, operator.ge, divmod,
]  # fmt: skip
IN_PLACE = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow,
    operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
]  # fmt: skip
UNARY = [operator.neg, operator.pos, abs, operator.invert]
NUMBERS = [2, 0.5, True, np.float32(2), np.float64(0.5), np.int8(3), np.bool_(True), np.array(2.0)]


@pytest.fixture
def x() -> DeviceArray:
    return Cluster(1).devices[0].array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("act", UNARY, ids=lambda act: act.__name__)
@settings(max_examples=10)
@given(arrays())
def test_unary_operators(act: Any, x: np.ndarray) -> None:
    check_like_numpy(act, x)


@pytest.mark.parametrize("act", BINARY, ids=lambda act: act.__name__)
@settings(max_examples=10)
@given(arrays(shapes=(2, 2)), arrays(shapes=(2, 2)), st.sampled_from(NUMBERS))
def test_binary_operators(act: Any, x: np.ndarray, y: np.ndarray, number: Any) -> None:
    rtol = 1e-3 if act is operator.matmul else 0
    check_like_numpy(act, x, y, rtol=rtol)
    check_like_numpy(lambda x: act(x, number), x, rtol=rtol)
    check_like_numpy(lambda x: act(number, x), x, rtol=rtol)


@pytest.mark.parametrize("act", IN_PLACE, ids=lambda act: act.__name__)
@settings(max_examples=10)
@given(arrays(shapes=(2, 2)), arrays(shapes=(2,)), st.sampled_from(NUMBERS))
def test_in_place_operators(act: Any, x: np.ndarray, y: np.ndarray, number: Any) -> None:
    def changed(x: Any, y: Any) -> Any:
        made = x.copy()
        view = made[1]
        assert act(view, y) is view
        return made

    check_like_numpy(changed, x, y)
    check_like_numpy(lambda x: act(x.copy(), number), x)


@given(arrays(dtype="float32", shapes=(3,)), values(np.dtype("float32")))
def test_powers_are_numpys(x: np.ndarray, exponent: float) -> None:
    for power in (exponent, 2, -1, 0, 0.5, 3):
        check_like_numpy(lambda x, power=power: x**power, x)


def test_in_place_does_not_grow_or_change_the_dtype(x: DeviceArray) -> None:
    row = x[0]
    with pytest.raises(ShapeError, match=r"\(2, 2\) cannot be broadcast to \(2,\)"):
        row += x
    whole = x.astype("int32")
    with pytest.raises(DtypeError, match="add gives float64, which does not go into an array of int32"):
        whole += 0.5
    repeated = np.broadcast_to(x[0], (3, 2))
    with pytest.raises(ShapeError, match="writes into a broadcast view"):
        repeated += 1
    with pytest.raises(ShapeError, match="writes into a broadcast view"):
        repeated[...] = 1
    np.testing.assert_array_equal(x.numpy(), [[1, 2], [3, 4]])


def test_ellipsis_in_place(x: DeviceArray) -> None:
    x[...] += 1
    x[1, 0] *= 10
    x[:, 1] = x[:, 0]
    x[0] = x[1:]  # a leading 1 is no matter
    np.testing.assert_array_equal(x.numpy(), [[40, 40], [40, 40]])


def test_an_array_differs_from_what_is_no_number(x: DeviceArray) -> None:
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True
    assert x in [None, x]


def test_contains_and_sum_and_iteration(x: DeviceArray) -> None:
    assert 3.0 in x
    assert 5.0 not in x
    np.testing.assert_array_equal(sum(x).numpy(), [4, 6])
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    assert len(x) == 2
    first, _ = x
    assert np.shares_memory(first, x)
    assert not np.shares_memory(first, Cluster(1).devices[0].zeros(1))
    for act in (len, list):
        with pytest.raises(ShapeError):
            act(x.sum())


@pytest.mark.parametrize("act", [bool, lambda x: not x, lambda x: x and 1, lambda x: x in [0]])
def test_many_elements_are_neither_true_nor_false(act: Any, x: DeviceArray) -> None:
    with pytest.raises(ShapeError, match=r"neither true nor false; use .any\(\) or .all\(\)"):
        act(x)


def test_values_on_the_host_are_recorded(x: DeviceArray) -> None:
    ledger = x.machine.ledger
    before = len(ledger.host_copies())
    assert (x.sum().item(), float(x[0, 1]), int(x[1, 0]), bool(x[0, 0])) == (10.0, 2.0, 3, True)
    assert x.tolist() == [[1, 2], [3, 4]]
    assert x.numpy().shape == (2, 2)
    assert f"{x.sum():.2f}" == "10.00"
    assert [copy.bytes for copy in ledger.host_copies()[before:]] == [8, 8, 8, 8, 32, 32, 8]
    with pytest.raises(ShapeError, match="one element"):
        x.item()


def test_printing_is_no_host_copy(x: DeviceArray) -> None:
    before = len(x.machine.ledger.host_copies())
    assert str(x) == "[[1., 2.],\n [3., 4.]]"
    assert repr(x[0]) == "DeviceArray([1., 2.], dtype=float64, device=0)"
    assert f"{x[0]}" == "[1., 2.]"
    x.free()
    assert str(x) == "<freed array of shape (2, 2), float64>"
    assert len(x.machine.ledger.host_copies()) == before


def test_index_by_arrays_of_the_device(x: DeviceArray) -> None:
    at = x.argmax(axis=0)[0]
    np.testing.assert_array_equal(x[at].numpy(), [3, 4])
    assert [10, 20][at] == 20
    with pytest.raises(DtypeError, match="no index"):
        operator.index(x[0, 0])
    with pytest.raises(UnsupportedError, match="indexing by an array of a device"):
        x[x[0, 0]]


def test_rows_by_a_list_are_copied(x: DeviceArray) -> None:
    rows = x[[1, 0, 1]]
    np.testing.assert_array_equal(rows.numpy(), [[3, 4], [1, 2], [3, 4]])
    np.testing.assert_array_equal(x[np.array([-1])].numpy(), [[3, 4]])
    assert x[[]].shape == (0, 2)
    with pytest.raises(ShapeError, match="index 2 is out of range for axis 0 of length 2"):
        x[[0, 2]]
    for mask in ([True, False], np.array([True, False])):
        with pytest.raises(UnsupportedError, match=r"np\.where instead of a mask"):
            x[mask]


def test_copies_have_storage_of_their_own(x: DeviceArray) -> None:
    for made in (copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": x})["x"], x.copy(), +x):
        assert not np.shares_memory(made, x)
        np.testing.assert_array_equal(made.numpy(), x.numpy())
    with pytest.raises(HostAccessError, match="cannot be pickled"):
        pickle.dumps(x)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


def test_what_an_array_says_of_itself(x: DeviceArray) -> None:
    row = x[0]
    assert (row.shape, row.ndim, row.size, row.nbytes, row.itemsize, row.dtype) == ((2,), 1, 2, 16, 8, np.dtype("f8"))
    assert row.device is x.machine.devices[0]
    assert x.T.shape == (2, 2)
    assert x.swapaxes(0, 1).tolist() == x.T.tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize(
    ("shape", "says"),
    [((-1,), "is not a shape"), ((2.5,), "a length is an integer, not 2.5"), ("ab", "integer"), ((1,) * 33, "32")],
)
def test_shapes_that_are_none(shape: Any, says: str) -> None:
    with pytest.raises(ShapeError, match=says):
        Cluster(1).devices[0].zeros(shape)


@pytest.mark.parametrize("host", [[[1], [1, 2]], ["a"], [None], [1j], object(), [2**70]])
def test_hosts_that_no_device_holds(host: Any) -> None:
    with pytest.raises(DeviceError):
        Cluster(1).devices[0].array(host)


@pytest.mark.parametrize("host", [3, 2.5, True, [1, 2], np.float16(1), np.zeros((0, 3), "i2"), ((1.0, 2), (3, 4))])
def test_uploads(host: Any) -> None:
    array = Cluster(1).devices[0].array(host)
    expected = np.asarray(host)
    assert (array.shape, array.dtype, array.tolist()) == (expected.shape, expected.dtype, expected.tolist())
    assert Cluster(1).devices[0].array(host, dtype="float32").dtype == np.float32


def test_an_upload_is_a_copy() -> None:
    host = np.ones(2)
    array = Cluster(1).devices[0].array(host)
    host[:] = 5
    down = array.numpy()
    down[:] = 7
    assert array.tolist() == [1, 1]
