"""The table of operations. A module here that has ``OPERATIONS`` adds them; nothing else changes."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from .base import Operand, Operation, Parameters, Result, Scalar, Spec, check_dtype

__all__ = ["Operand", "Operation", "Parameters", "Result", "Scalar", "Spec", "check_dtype", "table"]


@cache
def table() -> Mapping[str, Operation]:
    """All operations by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for operation in getattr(import_module(module.name), "OPERATIONS", ()):
            found[operation.name] = operation
    return found
