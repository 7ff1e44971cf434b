"""Python's operators on arrays of a device: each is one operation of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

import numpy as np

if TYPE_CHECKING:
    from .array import DeviceArray

Operand = Union["DeviceArray", bool, int, float, np.generic]


class Operators:
    """The operators of DeviceArray, which says how one, two or a written operand are computed."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def _unary(self, name: str) -> DeviceArray:
        raise NotImplementedError

    def _binary(self, name: str, other: object) -> DeviceArray:
        raise NotImplementedError

    def _reflected(self, name: str, other: object) -> DeviceArray:
        raise NotImplementedError

    def _in_place(self, name: str, other: object) -> DeviceArray:
        raise NotImplementedError

    # fmt: off
    def __add__(self, other: Operand) -> DeviceArray: return self._binary("add", other)
    def __sub__(self, other: Operand) -> DeviceArray: return self._binary("subtract", other)
    def __mul__(self, other: Operand) -> DeviceArray: return self._binary("multiply", other)
    def __truediv__(self, other: Operand) -> DeviceArray: return self._binary("divide", other)
    def __floordiv__(self, other: Operand) -> DeviceArray: return self._binary("floor_divide", other)
    def __mod__(self, other: Operand) -> DeviceArray: return self._binary("remainder", other)
    def __pow__(self, other: Operand) -> DeviceArray: return self._binary("power", other)
    def __matmul__(self, other: Operand) -> DeviceArray: return self._binary("matmul", other)
    def __and__(self, other: Operand) -> DeviceArray: return self._binary("bitwise_and", other)
    def __or__(self, other: Operand) -> DeviceArray: return self._binary("bitwise_or", other)
    def __xor__(self, other: Operand) -> DeviceArray: return self._binary("bitwise_xor", other)
    def __lshift__(self, other: Operand) -> DeviceArray: return self._binary("left_shift", other)
    def __rshift__(self, other: Operand) -> DeviceArray: return self._binary("right_shift", other)

    def __radd__(self, other: Operand) -> DeviceArray: return self._reflected("add", other)
    def __rsub__(self, other: Operand) -> DeviceArray: return self._reflected("subtract", other)
    def __rmul__(self, other: Operand) -> DeviceArray: return self._reflected("multiply", other)
    def __rtruediv__(self, other: Operand) -> DeviceArray: return self._reflected("divide", other)
    def __rfloordiv__(self, other: Operand) -> DeviceArray: return self._reflected("floor_divide", other)
    def __rmod__(self, other: Operand) -> DeviceArray: return self._reflected("remainder", other)
    def __rpow__(self, other: Operand) -> DeviceArray: return self._reflected("power", other)
    def __rmatmul__(self, other: Operand) -> DeviceArray: return self._reflected("matmul", other)
    def __rand__(self, other: Operand) -> DeviceArray: return self._reflected("bitwise_and", other)
    def __ror__(self, other: Operand) -> DeviceArray: return self._reflected("bitwise_or", other)
    def __rxor__(self, other: Operand) -> DeviceArray: return self._reflected("bitwise_xor", other)
    def __rlshift__(self, other: Operand) -> DeviceArray: return self._reflected("left_shift", other)
    def __rrshift__(self, other: Operand) -> DeviceArray: return self._reflected("right_shift", other)

    def __iadd__(self, other: Operand) -> DeviceArray: return self._in_place("add", other)
    def __isub__(self, other: Operand) -> DeviceArray: return self._in_place("subtract", other)
    def __imul__(self, other: Operand) -> DeviceArray: return self._in_place("multiply", other)
    def __itruediv__(self, other: Operand) -> DeviceArray: return self._in_place("divide", other)
    def __ifloordiv__(self, other: Operand) -> DeviceArray: return self._in_place("floor_divide", other)
    def __imod__(self, other: Operand) -> DeviceArray: return self._in_place("remainder", other)
    def __ipow__(self, other: Operand) -> DeviceArray: return self._in_place("power", other)
    def __imatmul__(self, other: Operand) -> DeviceArray: return self._in_place("matmul", other)
    def __iand__(self, other: Operand) -> DeviceArray: return self._in_place("bitwise_and", other)
    def __ior__(self, other: Operand) -> DeviceArray: return self._in_place("bitwise_or", other)
    def __ixor__(self, other: Operand) -> DeviceArray: return self._in_place("bitwise_xor", other)
    def __ilshift__(self, other: Operand) -> DeviceArray: return self._in_place("left_shift", other)
    def __irshift__(self, other: Operand) -> DeviceArray: return self._in_place("right_shift", other)

    def __lt__(self, other: Operand) -> DeviceArray: return self._binary("less", other)
    def __le__(self, other: Operand) -> DeviceArray: return self._binary("less_equal", other)
    def __gt__(self, other: Operand) -> DeviceArray: return self._binary("greater", other)
    def __ge__(self, other: Operand) -> DeviceArray: return self._binary("greater_equal", other)

    def __neg__(self) -> DeviceArray: return self._unary("negative")
    def __pos__(self) -> DeviceArray: return self._unary("positive")
    def __abs__(self) -> DeviceArray: return self._unary("absolute")
    def __invert__(self) -> DeviceArray: return self._unary("invert")
    # fmt: on

    def __eq__(self, other: object) -> DeviceArray:  # type: ignore[override]
        return NotImplemented if _is_no_number(other) else self._binary("equal", other)

    def __ne__(self, other: object) -> DeviceArray:  # type: ignore[override]
        return NotImplemented if _is_no_number(other) else self._binary("not_equal", other)

    def __divmod__(self, other: Operand) -> tuple[DeviceArray, DeviceArray]:
        return self // other, self % other

    def __rdivmod__(self, other: Operand) -> tuple[DeviceArray, DeviceArray]:
        return self.__rfloordiv__(other), self.__rmod__(other)


def _is_no_number(value: object) -> bool:
    """What every array differs from, as a whole."""
    return value is None or isinstance(value, str)
