"""Every operation of the table against NumPy: shape, dtype and values, or a refusal where NumPy refuses."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.devices import Back, Cluster, DeviceError
from grader.devices.errors import ComputeLimitError, DtypeError, OutOfMemoryError, ShapeError
from grader.devices.operations import Scalar, Spec, check_dtype, table
from grader.devices.operations.elementwise import UFUNCS
from grader.devices.operations.reductions import NAMES as REDUCTIONS

from .device_samples import DTYPES, SHAPES, arrays, check_like_numpy, dtypes, values

UNARY = [ufunc for ufunc in UFUNCS if ufunc.nin == 1]
BINARY = [ufunc for ufunc in UFUNCS if ufunc.nin == 2]
few = settings(max_examples=5)


def by_name(ufunc: np.ufunc) -> str:
    return ufunc.__name__


@pytest.mark.parametrize("ufunc", UNARY, ids=by_name)
@few
@given(arrays())
def test_unary(ufunc: np.ufunc, x: np.ndarray) -> None:
    check_like_numpy(ufunc, x)


@pytest.mark.parametrize("ufunc", BINARY, ids=by_name)
@few
@given(st.data())
def test_binary(ufunc: np.ufunc, data: st.DataObject) -> None:
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3))
    x, y = (data.draw(arrays(shape)) for shape in shapes.input_shapes)
    check_like_numpy(ufunc, x, y)


@pytest.mark.parametrize("ufunc", BINARY, ids=by_name)
@few
@given(arrays(), st.data())
def test_binary_with_a_number(ufunc: np.ufunc, x: np.ndarray, data: st.DataObject) -> None:
    number = data.draw(
        st.one_of(
            st.sampled_from([0, 1, -1, 2, 0.5, 300, -300, 2**40, 2**70, True]),
            dtypes().flatmap(values).map(lambda each: each),
            dtypes().flatmap(lambda dtype: values(dtype).map(dtype.type)),
        )
    )
    if ufunc is np.power and number < 0 and not x.size:
        return  # a negative exponent of no integers: NumPy has no reason to refuse
    check_like_numpy(lambda x: ufunc(x, number), x)
    check_like_numpy(lambda x: ufunc(number, x), x)


@pytest.mark.parametrize("name", REDUCTIONS)
@few
@given(arrays(), st.data())
def test_reduction(name: str, x: np.ndarray, data: st.DataObject) -> None:
    axes: st.SearchStrategy[Any] = st.none()
    if x.ndim:
        axes |= st.integers(-x.ndim, x.ndim - 1)
    if name not in ("argmax", "argmin"):
        axes |= st.lists(st.integers(0, x.ndim - 1), unique=True).map(tuple) if x.ndim else st.just(())
    options = {"axis": data.draw(axes), "keepdims": data.draw(st.booleans())}
    if name in ("sum", "prod", "mean", "var", "std") and data.draw(st.booleans()):
        options["dtype"] = data.draw(st.sampled_from(["float32", "float64"]))
    if name in ("var", "std"):
        options["ddof"] = data.draw(st.sampled_from([0, 1]))
    check_like_numpy(lambda x: getattr(np, name)(x, **options), x)
    check_like_numpy(lambda x: getattr(x, name)(**options), x)


@few
@given(arrays(), st.data())
def test_cumsum(x: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.sampled_from([None, *range(x.ndim), 5]))
    check_like_numpy(lambda x: np.cumsum(x, axis), x)


@given(st.data(), dtypes(), dtypes())
def test_matmul(data: st.DataObject, left: np.dtype[Any], right: np.dtype[Any]) -> None:
    shapes = data.draw(hnp.mutually_broadcastable_shapes(signature=np.matmul.signature, max_dims=1, max_side=3))
    x, y = (data.draw(arrays(shape, dtype)) for shape, dtype in zip(shapes.input_shapes, (left, right), strict=True))
    check_like_numpy(np.matmul, x, y, rtol=1e-3)
    check_like_numpy(lambda x, y: x @ y, x, y, rtol=1e-3)


@pytest.mark.parametrize(("left", "right"), [((2, 3), (2, 3)), ((), (2,)), ((3,), (2,)), ((2, 2, 3), (3, 3, 2))])
def test_matmul_refuses(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    check_like_numpy(np.matmul, np.ones(left), np.ones(right))


@given(arrays(), st.sampled_from(DTYPES))
def test_astype(x: np.ndarray, dtype: str) -> None:
    if np.dtype(dtype).kind in "iu" and not np.isfinite(x.astype(float)).all():
        return  # what such a cast gives, NumPy leaves open
    check_like_numpy(lambda x: x.astype(dtype), x)


def test_every_operation_is_tried() -> None:
    arrangement = {"copy", "concatenate", "stack", "pad", "where", "take", "clip", "tril", "triu"}  # test_numpy_api
    tried = {ufunc.__name__ for ufunc in UFUNCS} | set(REDUCTIONS) | {"cumsum", "matmul"} | arrangement
    assert set(table()) == tried


@pytest.mark.parametrize(
    ("shape", "name", "parameters", "flops"),
    [
        ((3, 4), "exp", {}, 12),
        ((3, 4), "sum", {"axis": 0}, 12),
        ((3, 4), "copy", {}, 0),
        ((0, 4), "mean", {}, 0),
    ],
)
def test_flops(shape: tuple[int, ...], name: str, parameters: dict[str, Any], flops: int) -> None:
    assert table()[name].infer((Spec(shape, np.dtype("f4")),), parameters).flops == flops


def test_flops_of_a_product() -> None:
    inputs = Spec((5, 2, 3), np.dtype("f4")), Spec((3, 7), np.dtype("f4"))
    assert table()["matmul"].infer(inputs, {}).flops == 5 * 2 * 7 * (2 * 3)


def test_flops_are_limited_before_anything_is_made() -> None:
    device = Cluster(1, flops=100).devices[0]
    x = device.zeros(51)
    with pytest.raises(ComputeLimitError, match=r"outer|multiply needs 2,601 floating-point operations.* 100"):
        np.outer(x, x)
    assert device.memory_allocated() == x.nbytes


@pytest.mark.parametrize(
    "act",
    [
        lambda x: np.broadcast_to(x, (10**12,)) + 1,
        lambda x: np.pad(x, 10**12),
        lambda x: np.repeat(x, 10**12),
        lambda x: np.tile(x, 10**12),
        lambda x: x.device.zeros(10**12),
        lambda x: x.device.empty((10**6, 10**6)),
        lambda x: np.zeros_like(x, shape=10**12),
        lambda x: np.broadcast_to(x, (10**12,)).numpy(),
        lambda x: np.broadcast_to(x, (10**12,)).copy(),
        lambda x: x.device.array(np.broadcast_to(np.float32(1), (10**12,))),
    ],
)
@pytest.mark.parametrize("back", [None, Back()], ids=["data", "no data"])
def test_huge_arrays_are_refused_before_anything_is_made(act: Any, back: Back | None) -> None:
    device = Cluster(1, back=back, flops=10**20).devices[0]
    x = device.zeros(1)
    with pytest.raises(OutOfMemoryError, match=r"[48],\d\d\d,\d\d\d,\d\d\d,\d\d\d bytes"):
        act(x)
    assert device.max_memory_allocated() == x.nbytes


def test_a_huge_view_can_be_shown() -> None:
    assert str(np.broadcast_to(Cluster(1).devices[0].zeros(1), (10**12,))) == "[0., 0., 0., ..., 0., 0., 0.]"


@pytest.mark.parametrize(
    "dtype", ["complex64", "object", "U3", "datetime64[s]", ">f4", "longdouble", "nonsense", [("a", "f4")], "f4,,", 7]
)
def test_dtypes_that_devices_do_not_have(dtype: object) -> None:
    with pytest.raises(DtypeError):
        check_dtype(dtype)


def test_a_result_dtype_that_devices_do_not_have_is_refused() -> None:
    x = Spec((2,), np.dtype("f8"))
    with pytest.raises(DtypeError):
        table()["add"].infer((x, Scalar(1.0, np.dtype("longdouble"))), {})


@pytest.mark.parametrize(
    ("act", "error", "says"),
    [
        (lambda x: x + np.zeros(1), DeviceError, "device.array"),
        (lambda x: x[:2] + x, ShapeError, r"shapes \(2,\) and \(3,\) do not fit"),
        (lambda x: x & x, DtypeError, "bitwise_and is not defined for float32 and float32"),
        (lambda x: x << 1, DtypeError, "left_shift is not defined for float32 and a Python int"),
        (lambda x: x.astype("int8") + 300, DtypeError, "300 does not fit into int8"),
        (lambda x: x.astype("int8") ** -1, DtypeError, "astype"),
        (lambda x: x + 10**400, DtypeError, "does not fit into float32"),
        (lambda x: x[:0].max(), ShapeError, r"max of an array of shape \(0,\) has no elements"),
        (lambda x: x.sum(axis=1), ShapeError, "axis 1 is out of range for an array of 1 dimensions"),
        (lambda x: x.reshape(3, 1).sum(axis=(0, 0)), ShapeError, "twice"),
        (lambda x: x @ x[:2], ShapeError, "3 columns on the left, 2 rows on the right"),
        (lambda x: x @ 2, ShapeError, "use \\* to multiply by a number"),
    ],
)
def test_refusals_say_what_is_wrong(act: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        act(Cluster(1).devices[0].zeros(3))


@few
@given(arrays(SHAPES))
def test_uploads_keep_everything(x: np.ndarray) -> None:
    check_like_numpy(lambda x: x.copy(), x)


def test_a_number_that_its_dtype_does_not_hold_is_an_error_of_the_devices() -> None:
    x = Cluster(1).devices[0].zeros(2)
    for value in (np.nan, 2**40):
        with pytest.raises(DeviceError, match="add failed"):
            x.machine.compute("add", (x, Scalar(value, np.dtype("int8"))), {})
    assert x.machine.compute("add", (x, Scalar(1e300, np.dtype("float16"))), {}).numpy().tolist() == [np.inf, np.inf]
