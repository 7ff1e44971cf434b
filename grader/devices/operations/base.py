"""What an operation is: inference of shape, dtype and cost, apart from the execution."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import DtypeError, ShapeError
from ..layout import broadcast, packed

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

    def on_host(self) -> Any:
        """The number as NumPy takes it."""
        return self.value if self.dtype is None else self.dtype.type(self.value)


Operand = Spec | Scalar


class Result(NamedTuple):
    """What an operation will give, and its cost: floating-point operations, and bytes of temporary copies.

    The bytes matter where NumPy copies what a broadcast view shows, which takes no memory itself.
    """

    shape: tuple[int, ...]
    dtype: Dtype
    flops: int
    scratch: int = 0


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry of the table.

    ``infer`` sees shapes, dtypes and parameters and raises the learner's errors; ``execute`` writes into
    ``output`` and is only called after inference. Into an existing array the result is cast by NumPy's rule
    ``casting``; a larger one takes it repeated if the operation ``spreads``.
    """

    name: str
    infer: Callable[[tuple[Operand, ...], Parameters], Result]
    execute: Callable[[HostArray, tuple[Any, ...], Parameters], None]
    casting: Literal["same_kind", "unsafe"] = "same_kind"
    spreads: bool = False

    def check_output(self, inputs: Iterable[Operand], result: Result, output: Spec) -> None:
        """Refuse an existing array that the result does not go into."""
        if result.shape != output.shape:
            if not self.spreads:
                raise ShapeError(f"{self.name} gives shape {result.shape}, the output has {output.shape}")
            broadcast(packed(result.shape), output.shape)
        if self.casting == "unsafe":
            for each in inputs:
                check_fits(each, output.dtype)
        elif result.dtype != output.dtype and not np.can_cast(result.dtype, output.dtype, self.casting):
            raise DtypeError(f"{self.name} gives {result.dtype}, which does not go into an array of {output.dtype}")


def check_dtype(dtype: object) -> Dtype:
    """The dtype, if devices have it: bool, integers and floats of NumPy in native byte order.

    >>> check_dtype("float16")
    dtype('float16')
    """
    try:
        return _check_dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        raise DtypeError(f"{dtype!r} is not a dtype") from None


@cache
def _check_dtype(dtype: object) -> Dtype:
    found = np.dtype(dtype)  # type: ignore[call-overload]
    if found.kind not in "biuf" or not found.isnative or found.itemsize > 8:
        raise DtypeError(f"devices hold bool, integers and floats of up to 8 bytes, not {found}")
    return found  # type: ignore[no-any-return]


def broadcast_shapes(*operands: Operand) -> tuple[int, ...]:
    """The common shape, or an error that shows all of them."""
    shapes = [operand.shape for operand in operands if isinstance(operand, Spec)]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        text = " and ".join(str(shape) for shape in shapes)
        raise ShapeError(f"shapes {text} do not fit together") from None


def weak_type(operand: Operand) -> Dtype | type[int] | type[float]:
    """What NumPy's promotion wants to know: a dtype, or the type of a Python number."""
    if operand.dtype is not None:
        return operand.dtype
    assert isinstance(operand, Scalar)
    return np.dtype(bool) if isinstance(operand.value, bool) else type(operand.value)


def promote(inputs: Iterable[Operand]) -> Dtype:
    """The dtype that can hold all inputs, by NumPy's rules."""
    numbers: Mapping[object, float] = {int: 0, float: 0.0}
    return check_dtype(np.result_type(*(numbers.get(kind, kind) for kind in map(weak_type, inputs))))


def check_fits(operand: Operand, dtype: Dtype) -> None:
    """A Python number must fit into the dtype that it is combined with."""
    if not isinstance(operand, Scalar) or operand.dtype is not None or isinstance(operand.value, bool):
        return
    value = operand.value
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise DtypeError(f"{value} does not fit into {dtype}")
    elif isinstance(value, int) and abs(value) > sys.float_info.max:
        raise DtypeError(f"an integer of {value.bit_length()} bits does not fit into {dtype}")


def size_of(shape: tuple[int, ...]) -> int:
    return math.prod(shape)
