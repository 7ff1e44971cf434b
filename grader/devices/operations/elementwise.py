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
    broadcast_shapes,
    check_dtype,
    check_fits,
    size_of,
    weak_type,
)

NAMES = (
    "add subtract multiply divide floor_divide remainder power negative positive absolute fabs sign sqrt cbrt "
    "square reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh "
    "tanh hypot maximum minimum fmax fmin floor ceil trunc rint isnan isinf isfinite signbit copysign "
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not "
    "bitwise_and bitwise_or bitwise_xor invert left_shift right_shift"
).split()


@cache
def _dtypes(name: str, inputs: tuple[Any, ...]) -> tuple[Dtype, ...]:
    ufunc: np.ufunc = getattr(np, name)
    try:
        resolved = ufunc.resolve_dtypes((*inputs, None))
    except TypeError:
        names = " and ".join(
            str(each) if isinstance(each, np.dtype) else f"a Python {each.__name__}" for each in inputs
        )
        raise DtypeError(f"{name} is not defined for {names}") from None
    check_dtype(resolved[-1])
    return resolved


def _infer(name: str, inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    dtypes = _dtypes(name, tuple(weak_type(each) for each in inputs))
    for operand, dtype in zip(inputs, dtypes, strict=False):
        check_fits(operand, dtype)
    shape = broadcast_shapes(*inputs)
    return Result(shape, dtypes[-1], size_of(shape))


def _execute(name: str, output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    getattr(np, name)(*inputs, out=output, casting="same_kind")


OPERATIONS = tuple(Operation(name, partial(_infer, name), partial(_execute, name)) for name in NAMES)
