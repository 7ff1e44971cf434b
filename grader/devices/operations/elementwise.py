"""Operations of NumPy's ufuncs: one result element from one element of each input."""

from __future__ import annotations

from functools import cache, lru_cache, partial
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
    Spec,
    broadcast_shapes,
    check_dtype,
    check_fits,
    size_of,
    weak_type,
)

Dtypes = tuple[Dtype, ...]
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
def result_dtypes(ufunc: np.ufunc, inputs: tuple[Dtype | type[int] | type[float], ...]) -> Dtypes:
    """The dtypes that a ufunc computes in and, last, that of its result."""
    try:
        resolved = ufunc.resolve_dtypes((*inputs, None))
    except TypeError:
        names = (str(each) if isinstance(each, np.dtype) else f"a Python {each.__name__}" for each in inputs)
        raise DtypeError(f"{ufunc.__name__} is not defined for {' and '.join(names)}") from None
    check_dtype(resolved[-1])
    return resolved


@lru_cache(4096)
def _infer_kinds(ufunc: np.ufunc, kinds: tuple[Spec | Dtype | type[int] | type[float], ...]) -> tuple[Result, Dtypes]:
    """The result, and the dtypes to compute in, for arrays and for numbers of which only the type is known."""
    dtypes = result_dtypes(ufunc, tuple(kind.dtype if isinstance(kind, Spec) else kind for kind in kinds))
    shape = broadcast_shapes(*(kind for kind in kinds if isinstance(kind, Spec)))
    return Result(shape, dtypes[-1], size_of(shape)), dtypes


def _infer(ufunc: np.ufunc, inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    kinds = tuple([each if isinstance(each, Spec) else weak_type(each) for each in inputs])
    result, dtypes = _infer_kinds(ufunc, kinds)
    for operand, dtype in zip(inputs, dtypes, strict=False):
        if isinstance(operand, Scalar):
            if ufunc not in COMPARISONS:  # which NumPy answers for numbers of any size
                check_fits(operand, dtype)
            if ufunc is np.power and operand is inputs[1] and dtype.kind in "iu" and operand.value < 0:
                raise DtypeError(
                    f"{operand.value} is no exponent for integers; x.astype(float) ** {operand.value} works"
                )
    return result


def _execute(ufunc: np.ufunc, output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    ufunc(*inputs, out=output, casting="same_kind")


OPERATIONS = tuple(
    Operation(ufunc.__name__, partial(_infer, ufunc), partial(_execute, ufunc), spreads=True) for ufunc in UFUNCS
)
