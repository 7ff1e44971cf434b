"""Operations that move elements without computing: copies, joins, padding, choices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ShapeError
from ..layout import normalize_axis
from .base import (
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
    promote,
    size_of,
)


def _arrays(name: str, inputs: tuple[Operand, ...]) -> tuple[Spec, ...]:
    arrays = tuple(each for each in inputs if isinstance(each, Spec))
    if len(arrays) != len(inputs) or not arrays:
        raise ShapeError(f"{name} needs one array at least, and nothing but arrays")
    return arrays


def _infer_copy(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    (source,) = inputs
    dtype = parameters.get("dtype")
    if isinstance(source, Scalar):
        return Result((), promote(inputs) if dtype is None else check_dtype(dtype), 0)
    return Result(source.shape, source.dtype if dtype is None else check_dtype(dtype), 0)


def _execute_copy(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    np.copyto(output, inputs[0], casting="unsafe")


def _infer_concatenate(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    arrays = _arrays("concatenate", inputs)
    first = arrays[0].shape
    if not first:
        raise ShapeError("concatenate needs arrays of at least one dimension; np.stack joins numbers")
    axis = normalize_axis(parameters["axis"], len(first))
    for each in arrays:
        if len(each.shape) != len(first) or any(a != axis and each.shape[a] != first[a] for a in range(len(first))):
            raise ShapeError(f"concatenate along axis {axis}: shapes {first} and {each.shape} differ elsewhere")
    length = sum(each.shape[axis] for each in arrays)
    return Result((*first[:axis], length, *first[axis + 1 :]), promote(inputs), 0)


def _execute_concatenate(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    np.concatenate(inputs, axis=parameters["axis"], out=output)


def _infer_stack(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    arrays = _arrays("stack", inputs)
    first = arrays[0].shape
    for each in arrays:
        if each.shape != first:
            raise ShapeError(f"stack needs equal shapes, not {first} and {each.shape}")
    axis = normalize_axis(parameters["axis"], len(first) + 1)
    return Result((*first[:axis], len(arrays), *first[axis:]), promote(inputs), 0)


def _execute_stack(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    np.stack(inputs, axis=parameters["axis"], out=output)


def _infer_pad(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    (array,) = _arrays("pad", inputs)
    widths = parameters["widths"]
    shape = tuple(length + sum(pair) for length, pair in zip(array.shape, widths, strict=True))
    check_fits(Scalar(parameters["value"]), array.dtype)
    return Result(shape, array.dtype, 0)


def _execute_pad(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    (array,) = inputs
    output[...] = parameters["value"]
    inner = tuple(
        slice(before, before + length) for (before, _), length in zip(parameters["widths"], array.shape, strict=True)
    )
    output[inner] = array


def _infer_where(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    shape = broadcast_shapes(*inputs)
    dtype = promote(inputs[1:])
    for each in inputs[1:]:
        check_fits(each, dtype)
    return Result(shape, dtype, size_of(shape))


def _execute_where(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    output[...] = np.where(*inputs)


def _infer_take(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    (array,) = _arrays("take", inputs)
    axis, indices = parameters["axis"], parameters["indices"]
    axis = normalize_axis(axis, len(array.shape))
    length = array.shape[axis]
    for each in indices:
        if not -length <= each < length:
            raise ShapeError(f"index {each} is out of range for axis {axis} of length {length}")
    scratch = size_of(array.shape) * array.dtype.itemsize
    return Result((*array.shape[:axis], len(indices), *array.shape[axis + 1 :]), array.dtype, 0, scratch)


def _execute_take(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    indices = np.asarray(parameters["indices"], dtype=np.intp)
    output[...] = np.take(inputs[0], indices, axis=parameters["axis"])


def _infer_clip(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    shape = broadcast_shapes(*inputs)
    dtype = promote(inputs)
    for each in inputs:
        check_fits(each, dtype)
    return Result(shape, dtype, size_of(shape))


def _execute_clip(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    np.clip(*inputs, out=output, casting="same_kind")


def _infer_triangle(inputs: tuple[Operand, ...], parameters: Parameters) -> Result:
    (array,) = _arrays("tril", inputs)
    if len(array.shape) < 2:
        raise ShapeError(f"tril and triu need at least two dimensions, not shape {array.shape}")
    # NumPy numbers the rows and columns, also of an array without elements.
    return Result(array.shape, array.dtype, 0, 8 * sum(array.shape[-2:]))


def _execute_tril(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    output[...] = np.tril(inputs[0], parameters["k"])


def _execute_triu(output: HostArray, inputs: tuple[Any, ...], parameters: Parameters) -> None:
    output[...] = np.triu(inputs[0], parameters["k"])


OPERATIONS = (
    Operation("copy", _infer_copy, _execute_copy, casting="unsafe", spreads=True),
    Operation("concatenate", _infer_concatenate, _execute_concatenate),
    Operation("stack", _infer_stack, _execute_stack),
    Operation("pad", _infer_pad, _execute_pad),
    Operation("where", _infer_where, _execute_where),
    Operation("take", _infer_take, _execute_take),
    Operation("clip", _infer_clip, _execute_clip, spreads=True),
    Operation("tril", _infer_triangle, _execute_tril),
    Operation("triu", _infer_triangle, _execute_triu),
)
