"""Matrix products."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import ShapeError
from .base import HostArray, Operand, Operation, Parameters, Result, Spec, broadcast_shapes, size_of
from .elementwise import result_dtypes


def _infer_matmul(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    return _infer_product(*inputs)


@lru_cache(4096)
def _infer_product(left: Operand, right: Operand) -> Result:
    if not (isinstance(left, Spec) and isinstance(right, Spec)) or not (left.shape and right.shape):
        raise ShapeError("matmul needs two arrays of at least one dimension; use * to multiply by a number")
    rows = left.shape[-2:-1]
    columns = right.shape[-1:] if len(right.shape) > 1 else ()
    inner = right.shape[-2] if len(right.shape) > 1 else right.shape[0]
    if left.shape[-1] != inner:
        raise ShapeError(
            f"matmul of shapes {left.shape} and {right.shape}: {left.shape[-1]} columns on the left, "
            f"{inner} rows on the right"
        )
    stack = broadcast_shapes(Spec(left.shape[:-2], left.dtype), Spec(right.shape[:-2], right.dtype))
    shape = (*stack, *rows, *columns)
    dtype = result_dtypes(np.matmul, (left.dtype, right.dtype))[-1]
    scratch = (size_of(left.shape) + size_of(right.shape)) * dtype.itemsize
    return Result(shape, dtype, 2 * size_of(shape) * inner, scratch)


def _execute_matmul(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    left, right = inputs
    np.matmul(left, right, out=output, casting="same_kind")


OPERATIONS = (Operation("matmul", _infer_matmul, _execute_matmul),)
