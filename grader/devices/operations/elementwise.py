"""Operations of NumPy's ufuncs: one result element from one element of each input."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from ..errors import DtypeError
from .base import (
    Dtype,
    HostArray,
    Operand,
    Operation,
    Parameters,
    Result,
    Scalar,
    broadcast_shapes,
    check_dtype,
    check_fits,
    size_of,
    weak_type,
)

COMPARISONS = (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
UFUNCS: tuple[np.ufunc, ...] = (
    np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.power, np.negative, np.positive,
    np.absolute, np.fabs, np.sign, np.sqrt, np.cbrt, np.square, np.reciprocal, np.exp, np.exp2, np.expm1, np.log,
    np.log2, np.log10, np.log1p, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2, np.sinh,
    np.cosh, np.tanh, np.hypot, np.maximum, np.minimum, np.fmax, np.fmin, np.floor, np.ceil, np.trunc, np.rint,
    np.isnan, np.isinf, np.isfinite, np.signbit, np.copysign, *COMPARISONS, np.logical_and, np.logical_or,
    np.logical_xor, np.logical_not, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift,
    np.right_shift,
)  # fmt: skip


@cache
def result_dtypes(ufunc: np.ufunc, inputs: tuple[Dtype | type[int] | type[float], ...]) -> tuple[Dtype, ...]:
    """The dtypes that a ufunc computes in and, last, that of its result."""
    try:
        resolved = ufunc.resolve_dtypes((*inputs, None))
    except TypeError:
        names = (str(each) if isinstance(each, np.dtype) else f"a Python {each.__name__}" for each in inputs)
        raise DtypeError(f"{ufunc.__name__} is not defined for {' and '.join(names)}") from None
    check_dtype(resolved[-1])
    return resolved


def _infer(ufunc: np.ufunc, inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    dtypes = result_dtypes(ufunc, tuple(map(weak_type, inputs)))
    if ufunc not in COMPARISONS:  # which NumPy answers for numbers of any size
        for operand, dtype in zip(inputs, dtypes, strict=False):
            check_fits(operand, dtype)
    if ufunc is np.power and dtypes[-1].kind in "iu":
        exponent = inputs[1]
        if isinstance(exponent, Scalar) and exponent.value < 0:
            raise DtypeError(f"{exponent.value} is no exponent for integers; x.astype(float) ** {exponent.value} works")
    shape = broadcast_shapes(*inputs)
    return Result(shape, dtypes[-1], size_of(shape))


def _execute(ufunc: np.ufunc, output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    ufunc(*inputs, out=output, casting="same_kind")


OPERATIONS = tuple(
    Operation(ufunc.__name__, partial(_infer, ufunc), partial(_execute, ufunc), spreads=True) for ufunc in UFUNCS
)
