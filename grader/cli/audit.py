"""Prove an exercise: what its suite accepts, and what it catches."""

from __future__ import annotations

import json
import linecache
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli._names import unknown
from grader.cli._terminal import wants_colour

if TYPE_CHECKING:
    from grader.audit import Audit, AuditedCriterion, AuditedMutant
    from grader.course import Course


@click.command("audit")
@click.argument("exercises", metavar="[EXERCISE]...", nargs=-1)
@click.option("--format", type=click.Choice(["json", "text"]), default="text", show_default=True, help="How to report.")
@click.option("--jobs", type=click.IntRange(min=1), help="How many to grade side by side; one for each processor.")
@click.option("--verbose", is_flag=True, help="Show what came of each mutant, criterion by criterion.")
def command(exercises: tuple[str, ...], format: str, jobs: int | None, verbose: bool) -> int:
    """Prove each EXERCISE, an id or a folder, or all of the course.

    The reference must earn everything, and stubs and bodies that do nothing nothing; each mutant must be caught where
    its header says, and each criterion must catch one. No criterion may compare the learner with the learner, and no
    idiom of pytest be used that cannot cross to a learner's functions.

    Ends with 0 if all is proven, 1 if something is not, 2 on wrong usage, 3 if the grader is at fault.
    """
    from grader.audit import audit

    chosen = _chosen(exercises)
    progress = _progress if sys.stderr.isatty() else None
    audits = [(course, audit(course, id, jobs=jobs or os.cpu_count() or 1, progress=progress)) for course, id in chosen]
    if format == "json":
        click.echo(json.dumps(_plain([found for _, found in audits]), indent=2, default=_number))
    else:
        click.echo("\n".join(_text(course, found, verbose) for course, found in audits), nl=False, color=wants_colour())
    return 1 if any(found.findings for _, found in audits) else 0


def _chosen(names: Sequence[str]) -> list[tuple[Course, str]]:
    """The exercises that are meant, each with its course."""
    from grader.course import Course

    if not names:
        course = Course.find(Path.cwd())
        if not course.exercises():
            raise click.UsageError(f"there is nothing to audit: {course.exercises_folder} has no exercise.")
        return [(course, id) for id in course.exercises()]
    chosen = {}
    for name in names:
        course, id = Course.find(Path(name)), Path(name).absolute().name
        if id not in course.exercises():
            raise unknown(f"no exercise is called {name!r}", id, course.exercises())
        chosen[course.file, id] = course, id
    return list(chosen.values())


def _progress(done: int, total: int, name: str) -> None:
    sys.stderr.write("\r\x1b[K" + (f"{done} of {total}  {name}" if done < total else ""))
    sys.stderr.flush()


def _plain(audits: Sequence[Audit]) -> dict[str, Any]:
    exercises = [asdict(found) | {"points": found.points} for found in audits]
    findings = [finding for exercise in exercises for finding in exercise.pop("findings")]
    return {"exercises": exercises, "findings": findings}


def _number(value: Decimal) -> int | float:
    return int(value) if value == int(value) else float(value)


def _text(course: Course, found: Audit, verbose: bool) -> str:
    """The tables of an audit, and its findings as ``course check`` shows them."""
    from grader.report.findings import Options, render
    from grader.results import Check

    folder, width = course.file.parent, shutil.get_terminal_size((100, 0)).columns
    counts = f"{_counted(found.criteria, 'criterion', 'criteria')}, {_counted(found.mutants, 'mutant')}"
    lines = [click.style(f"{found.exercise}  {found.title}", bold=True), ""]
    if found.criteria:
        lines += [*(_matrices(found) if verbose else _table(found.criteria, width)), ""]
    lines += [
        f"{counts}, points: {_number(found.points)}, solutions graded: {found.trials}, {found.seconds:.1f} s",
        "",
    ]
    shown = {
        (each.path, each.line): linecache.getline(str(folder / each.path), each.line).rstrip("\n")
        for each in found.findings
        if each.line is not None
    }
    check = Check(found.findings, found.files, (), shown)
    options = Options(width, wants_colour(), here=Path(os.path.relpath(folder)).as_posix())
    return "\n".join(lines) + "\n" + render(check, "text", options)


def _counted(things: Sequence[object], one: str, several: str = "") -> str:
    return f"{len(things)} {one if len(things) == 1 else several or one + 's'}"


def _table(criteria: Sequence[AuditedCriterion], width: int) -> Iterator[str]:
    longest = max(len(each.id) for each in criteria)
    left = f"  {'criterion':<{longest}}  points  mutants  "
    yield left + "which it catches"
    for each in criteria:
        names = _cut(each.catches, width - len(left))
        yield f"  {each.id:<{longest}}  {each.points:>6f}  {len(each.catches):>7}  {names}".rstrip()


def _cut(names: Sequence[str], width: int) -> str:
    """As many names as fit, and how many do not.

    >>> _cut(["drops_the_last", "keeps_the_first", "adds_one"], 30)
    'drops_the_last and 2 more'
    """
    for shown in range(len(names), 0, -1):
        more = f" and {len(names) - shown} more" if shown < len(names) else ""
        text = ", ".join(names[:shown]) + more
        if len(text) <= width:
            return text
    return ""


def _matrices(found: Audit) -> Iterator[str]:
    """For each function, its criteria with a number, and what they did about each mutant."""
    yield "  X caught, as the header says   x caught, too   . not caught   - not tried"
    for function in dict.fromkeys(each.function for each in found.criteria):
        criteria = [each for each in found.criteria if each.function == function]
        mutants = [each for each in found.mutants if any(one.id in each.statuses for one in criteria)]
        longest = max((len(each.name) for each in mutants), default=0)
        yield ""
        for number, each in enumerate(criteria, 1):
            yield f"  {number:>2}  {each.id}, {each.points:f}, catches {len(each.catches)}"
        yield f"  {'':<{longest}}" + "".join(f"{number:>3}" for number in range(1, len(criteria) + 1))
        for mutant in mutants:
            yield f"  {mutant.name:<{longest}}" + "".join(f"  {_mark(mutant, each.id)}" for each in criteria)


def _mark(mutant: AuditedMutant, criterion: str) -> str:
    """What a criterion did about a mutant.

    >>> from grader.audit import AuditedMutant
    >>> statuses = {"a": "failed", "b": "timeout", "c": "passed", "d": "blocked"}
    >>> "".join(_mark(AuditedMutant("wrong", ("a",), statuses), each) for each in "abcde")
    'Xx.--'
    """
    if criterion in mutant.caught_by:
        return "X" if criterion in mutant.named else "x"
    return "." if mutant.statuses.get(criterion) == "passed" else "-"
