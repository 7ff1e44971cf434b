"""What an operation is: inference of shape, dtype and cost, apart from the execution."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DtypeError, ShapeError

Dtype = np.dtype[Any]
HostArray = npt.NDArray[Any]
Number = bool | int | float
Parameters = Mapping[str, Any]


class Spec(NamedTuple):
    """What is known of an array without its data."""

    shape: tuple[int, ...]
    dtype: Dtype


class Scalar(NamedTuple):
    """A number among the inputs. ``dtype`` is None for a Python number, which adapts to the arrays."""

    value: Number
    dtype: Dtype | None = None


Operand = Spec | Scalar


class Result(NamedTuple):
    """What an operation will give, and the floating-point operations that it costs."""

    shape: tuple[int, ...]
    dtype: Dtype
    flops: int


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry of the table.

    ``infer`` sees shapes, dtypes and parameters and raises the learner's errors; ``execute`` writes into
    ``output`` and is only called after inference. ``into`` says that an existing array may take the result
    with a cast that NumPy's assignment allows.
    """

    name: str
    infer: Callable[[tuple[Operand, ...], Parameters], Result]
    execute: Callable[[HostArray, tuple[Any, ...], Parameters], None]
    casting: str = "same_kind"


@cache
def check_dtype(dtype: object) -> Dtype:
    """The dtype, if devices have it: bool, integers and floats of NumPy in native byte order.

    >>> check_dtype("float16")
    dtype('float16')
    """
    try:
        found = np.dtype(dtype)  # type: ignore[call-overload]
    except TypeError:
        raise DtypeError(f"{dtype!r} is not a dtype") from None
    if found.kind not in "biuf" or not found.isnative or found.itemsize > 8:
        raise DtypeError(f"devices hold bool, integers and floats of up to 8 bytes, not {found}")
    return found  # type: ignore[no-any-return]


def shape_of(operand: Operand) -> tuple[int, ...]:
    return operand.shape if isinstance(operand, Spec) else ()


def broadcast_shapes(*operands: Operand) -> tuple[int, ...]:
    """The common shape, or an error that shows all of them."""
    shapes = [shape_of(operand) for operand in operands]
    first = shapes[0]
    if all(shape == first or shape == () for shape in shapes):
        return first
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        text = " and ".join(str(shape) for shape in shapes)
        raise ShapeError(f"shapes {text} do not fit together") from None


def weak_type(operand: Operand) -> Any:
    """What NumPy's promotion wants to know: a dtype, or the type of a Python number."""
    if isinstance(operand, Spec):
        return operand.dtype
    if operand.dtype is not None:
        return operand.dtype
    return np.dtype(bool) if isinstance(operand.value, bool) else type(operand.value)


def check_fits(operand: Operand, dtype: Dtype) -> None:
    """A Python integer must fit into the integer dtype that it is combined with."""
    if isinstance(operand, Scalar) and dtype.kind in "iu" and type(operand.value) is int:
        limits = np.iinfo(dtype)
        if not limits.min <= operand.value <= limits.max:
            raise DtypeError(f"{operand.value} does not fit into {dtype}")


def size_of(shape: tuple[int, ...]) -> int:
    return math.prod(shape)
