"""Operations that reduce axes: sums, means, extremes."""

from __future__ import annotations

import warnings
from functools import cache, partial
from typing import Any

import numpy as np

from ..errors import ShapeError
from ..layout import normalize_axes, normalize_axis
from .base import Dtype, HostArray, Operand, Operation, Parameters, Result, Spec, check_dtype, size_of

NAMES = ("sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin", "var", "std")
DIVIDING = frozenset(("mean", "var", "std"))
NEEDS_AN_ELEMENT = frozenset(("max", "min", "argmax", "argmin"))


@cache
def _dtype(name: str, dtype: Dtype, wanted: str | None) -> Dtype:
    options = {} if wanted is None else {"dtype": np.dtype(wanted)}
    return check_dtype(getattr(np, name)(np.ones(1, dtype), **options).dtype)


def _infer(name: str, inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    (array,) = inputs
    assert isinstance(array, Spec)
    ndim = len(array.shape)
    reduced = normalize_axes(parameters.get("axis"), ndim)
    if parameters.get("keepdims"):
        shape = tuple(1 if a in reduced else length for a, length in enumerate(array.shape))
    else:
        shape = tuple(length for a, length in enumerate(array.shape) if a not in reduced)
    if name in NEEDS_AN_ELEMENT and size_of(shape) and not size_of(array.shape):
        raise ShapeError(f"{name} of an array of shape {array.shape} has no elements to choose from")
    dtype = _dtype(name, array.dtype, parameters.get("dtype"))
    size = size_of(array.shape)
    copied = {"argmax": array.dtype, "argmin": array.dtype, "var": dtype, "std": dtype}.get(name)
    return Result(shape, dtype, size, 0 if copied is None else size * copied.itemsize)


def _execute(name: str, output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    reduction, (array,) = getattr(np, name), inputs
    if name in DIVIDING and array.size <= parameters.get("ddof", 0) * output.size:
        with warnings.catch_warnings():  # of a division by no elements
            warnings.simplefilter("ignore")
            reduction(array, out=output, **parameters)
    else:
        reduction(array, out=output, **parameters)


def _infer_cumsum(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    (array,) = inputs
    assert isinstance(array, Spec)
    axis = parameters.get("axis")
    if axis is not None:
        normalize_axis(axis, len(array.shape))
    shape = (size_of(array.shape),) if axis is None else array.shape
    return Result(shape, _dtype("sum", array.dtype, None), size_of(array.shape))


OPERATIONS = (
    *(Operation(name, partial(_infer, name), partial(_execute, name)) for name in NAMES),
    Operation("cumsum", _infer_cumsum, partial(_execute, "cumsum")),
)
