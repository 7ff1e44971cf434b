"""The collectives. A module here that has ``RULES`` and ``METHODS`` adds them; nothing else changes."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from .base import Call, Rule

__all__ = ["Call", "Rule", "methods", "rules"]


@cache
def _modules() -> tuple[ModuleType, ...]:
    return tuple(import_module(module.name) for module in pkgutil.iter_modules(__path__, f"{__name__}."))


@cache
def rules() -> Mapping[str, Rule]:
    """All collectives by name."""
    return {rule.name: rule for module in _modules() for rule in getattr(module, "RULES", ())}


def methods() -> Mapping[str, Callable[..., Any]]:
    """The functions that become methods of Group, by name."""
    return {method.__name__: method for module in _modules() for method in getattr(module, "METHODS", ())}
