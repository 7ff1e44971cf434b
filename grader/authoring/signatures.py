"""What a function must look like: its parameters and what it returns, read from the reference solution."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.devices import DeviceArray, Group, PerRank

EXACT = {"int": int, "bool": bool, "float": float, "str": str, "list": list, "tuple": tuple, "dict": dict}
SHOWN_LENGTH = 60


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's parameters by name, and the annotation of what it returns."""

    name: str
    parameters: tuple[str, ...]
    returns: str | None = None

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})"

    def wrong_return(self, value: Any) -> str | None:
        """What is wrong with a returned value, as the type it should have been; None if nothing is.

        >>> Signature("fits", ("parameters",), "bool").wrong_return(1)
        'a bool'
        """
        if self.returns in ("Array", "DeviceArray"):
            return None if type(value) is DeviceArray else "an array of the device"
        wanted = EXACT.get((self.returns or "").partition("[")[0])
        if wanted is None or type(value) is wanted:
            return None
        return f"a{'n' if wanted is int else ''} {wanted.__name__}"

    def call_text(self, calls: Sequence[tuple[Sequence[Any], dict[str, Any]]]) -> str:
        """A call as text: plain values that all ranks share as they are, everything else by parameter name."""
        args, kwargs = calls[0]
        parts = []
        for position, value in enumerate(args):
            name = self.parameters[position] if position < len(self.parameters) else "..."
            others = [given[position] for given, _ in calls]
            parts.append(_shown(value) if _plain(value) and all(_same(value, each) for each in others) else name)
        for key, value in kwargs.items():
            others = [named.get(key) for _, named in calls]
            alike = _plain(value) and all(_same(value, each) for each in others)
            parts.append(f"{key}={_shown(value) if alike else key}")
        return f"{self.name}({', '.join(parts)})"


def _same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def _plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(map(_plain, value.values()))
    return value is None or isinstance(value, (bool, int, float, str))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_LENGTH else f"{text[: SHOWN_LENGTH - 3]}..."


def type_name(value: Any) -> str:
    """What a value is, for people: ``None`` for None, else the type's name."""
    if value is None:
        return "None"
    return {DeviceArray: "an array of the device", Group: "a group", PerRank: "per_rank"}.get(
        type(value), f"{'an' if type(value).__name__[0] in 'aeio' else 'a'} {type(value).__name__}"
    )


def read_signatures(folder: Path) -> dict[str, Signature]:
    """The signatures of the top-level functions in the Python files of a folder. Nothing is executed."""
    found = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.parse(path.read_bytes(), str(path)).body:
            if isinstance(node, ast.FunctionDef):
                names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                returns = None if node.returns is None else ast.unparse(node.returns)
                found[node.name] = Signature(node.name, tuple(names), returns)
    return found
