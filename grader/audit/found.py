"""What an audit found, as plain frozen data."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from grader.results import Finding, Status

CAUGHT: tuple[Status, ...] = ("failed", "timeout")


@dataclass(frozen=True, slots=True)
class AuditedMutant:
    """A wrong solution: the criteria that its header names, and what came of those that it was tried on, by id."""

    name: str
    named: tuple[str, ...]
    statuses: Mapping[str, Status]

    @property
    def caught_by(self) -> tuple[str, ...]:
        return tuple(criterion for criterion, status in self.statuses.items() if status in CAUGHT)


@dataclass(frozen=True, slots=True)
class AuditedCriterion:
    """A criterion and the mutants that it catches, by name."""

    id: str
    function: str
    points: Decimal
    catches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """Whether an exercise keeps its promises. Without criteria, its suite could not be tried at all."""

    exercise: str
    title: str
    criteria: tuple[AuditedCriterion, ...] = ()
    mutants: tuple[AuditedMutant, ...] = ()
    findings: tuple[Finding, ...] = ()
    files: int = 0
    trials: int = 0
    seconds: float = 0.0

    @property
    def points(self) -> Decimal:
        return sum((criterion.points for criterion in self.criteria), Decimal(0))


def finding(
    rule: str, file: Path, place: ast.expr | ast.stmt | ast.arg | int | None, message: str, fix: str
) -> Finding:
    """An error at a node of a Python file, at a line, or of the file as a whole."""
    if not isinstance(place, ast.AST):
        return Finding(rule, "error", str(file), place, None, None, None, message, fix)
    end_line, end_offset = place.end_lineno or place.lineno, place.end_col_offset or place.col_offset
    lines = file.read_bytes().splitlines()
    column, end_column = (
        len(lines[line - 1][:offset].decode()) + 1
        for line, offset in ((place.lineno, place.col_offset), (end_line, end_offset))
    )
    return Finding(rule, "error", str(file), place.lineno, column, end_line, end_column, message, fix)
