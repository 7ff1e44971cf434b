"""Which rules were asked for: by their ids, or by the folder that they are in."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from grader.rules import rules
from grader.rules.base import FileRule, Rule


def group(rule: Rule[Any]) -> str | None:
    """The name of the group of a rule: of the folder in ``grader/rules`` that its module is in."""
    folders = type(rule).__module__.removeprefix(f"{__package__}.").split(".")[:-1]
    return folders[0] if folders else None


def names() -> list[str]:
    """Every name by which rules can be asked for."""
    return sorted({*rules(), *(name for rule in rules().values() if (name := group(rule)) is not None)})


def selected(select: Collection[str] = (), ignore: Collection[str] = ()) -> list[Rule[Any]]:
    """The rules that are in ``select``, or all, without those in ``ignore``.

    Whether files can be read is always checked, unless ``ignore`` says otherwise: of what cannot be read, no other
    rule can say that it is right.
    """
    return [
        rule
        for rule in rules().values()
        if (not select or isinstance(rule, FileRule) or _is_named(rule, select)) and not _is_named(rule, ignore)
    ]


def _is_named(rule: Rule[Any], given: Collection[str]) -> bool:
    return rule.id in given or group(rule) in given
