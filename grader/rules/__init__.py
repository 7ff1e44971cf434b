"""The rules of content: one module a rule, one class in it. A new rule is a new module and changes no other."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from .base import CourseRule, ExerciseRule, FileRule, LessonRule, PageRule, Rule, TermRule

__all__ = ["CourseRule", "ExerciseRule", "FileRule", "LessonRule", "PageRule", "Rule", "TermRule", "rules"]


@cache
def rules() -> Mapping[str, Rule[Any]]:
    """Every rule by its id, in the order of the ids.

    A class counts that is defined in a module of this package, or of a folder in it, and has an ``id``.
    """
    names = [module.name for module in pkgutil.walk_packages(__path__, f"{__name__}.") if not module.ispkg]
    found = [
        value()
        for name in names
        for value in vars(import_module(name)).values()
        if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == name and hasattr(value, "id")
    ]
    return {rule.id: rule for rule in sorted(found, key=lambda rule: rule.id)}
