"""What ``course batch`` does: from what a class handed in to a folder of results."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import click

from grader.batch import Collected, CollectError, RosterError, collect, read_roster
from grader.batch.adjustments import read_adjustments
from grader.batch.changes import find_changes
from grader.batch.engine import EngineError
from grader.batch.local import LocalEngine
from grader.batch.run import MissingRows, Reports, Run, Step
from grader.batch.store import ADJUSTMENTS, Results, ResultsError, open_results
from grader.cli._failures import FAULT, STOPPED
from grader.cli._files import real
from grader.cli._meter import meter
from grader.cli._target import find_target, suite_of
from grader.cli._terminal import wants_colour
from grader.course import Exercise
from grader.gradebook import Change, Gradebook, GradebookError, Record, Row
from grader.report import Options, render, render_ungraded
from grader.report.gradebook import changes as changes_format
from grader.report.gradebook import csv, named, summary, text
from grader.results import Grade, Planned, Ungraded

if TYPE_CHECKING:
    from grader.batch.cluster import ClusterEngine
    from grader.runner.start import Processes

GRADEBOOK = "gradebook.csv"
FORMATS: tuple[Literal["html", "json"], ...] = ("json", "html")


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    submissions: Path
    exercise: str
    results: Path
    roster: Path | None
    workers: int | None
    seed: int
    strict: bool
    exports: tuple[str, ...]
    scheduler: str | None


def batch(request: Request, processes: Processes | None) -> int:
    """Grade what was asked for, write and say what came of it, and give the exit code.

    ``processes`` have been started to grade here; without them, those of a cluster do.
    """
    target = find_target(request.submissions, request.exercise)
    suite_of(target)
    _require_apart(request.submissions, request.results)
    if request.scheduler is not None and request.workers is not None:
        raise click.UsageError("--workers is about this machine: with --scheduler, the cluster has its own.")
    try:
        collected = collect(request.submissions, None if request.roster is None else read_roster(request.roster))
        ids = {each.id for each in collected.handed_in} | {each.id for each in collected.absent}
        adjustments = read_adjustments(request.results / ADJUSTMENTS, ids)
        _require_names(request.exports, target.exercise, collected, adjustments)
        with open_results(request.results, target.exercise.id, ids) as results:
            before = _read_gradebook(request.results / GRADEBOOK, results)
            run = Run(target.exercise, collected, results, _reports(target.exercise), request.seed)
            criteria = _grade(request, target.exercise, run, results, processes)
            gradebook = Gradebook(target.exercise.id, target.exercise.title, criteria, run.rows(adjustments))
            changes = () if before is None else find_changes(before, gradebook)
            _write(results, gradebook, changes, request.exports)
    except KeyboardInterrupt:
        click.echo("Stopped. What is graded is kept: the same command goes on from there.", err=True)
        return STOPPED
    except MissingRows as error:
        click.echo(
            f"The grader is at fault: no result came for {named(error.ids)}. The same command tries again.", err=True
        )
        return FAULT
    except (CollectError, GradebookError, ResultsError, RosterError) as error:
        raise click.UsageError(f"{error}.") from None
    except EngineError as error:
        raise click.ClickException(f"{error}.") from None
    _say(gradebook, changes, run.step, request)
    return FAULT if run.step.faults else 0


def _grade(
    request: Request, exercise: Exercise, run: Run, results: Results, processes: Processes | None
) -> tuple[Planned, ...]:
    """Grade all that has to be, and give the criteria."""
    with _engine(request, exercise, processes) as engine:
        criteria = engine.planned()
        _announce(exercise, run, results)
        with meter(run.step.total) as progress:
            run.grade(engine, progress)
    return criteria


def _engine(request: Request, exercise: Exercise, processes: Processes | None) -> ClusterEngine | LocalEngine:
    if request.scheduler is None:
        return LocalEngine(exercise, processes, workers=request.workers, strict=request.strict)
    from grader.batch.cluster import ClusterEngine

    return ClusterEngine(request.scheduler, exercise, strict=request.strict, notice=partial(click.echo, err=True))


def _read_gradebook(file: Path, results: Results) -> tuple[Record, ...] | None:
    """The gradebook that the run before this one wrote, if one did."""
    kept = results.read(file.name)
    try:
        return None if kept is None else csv.read_gradebook(kept)
    except GradebookError as error:
        raise GradebookError(f"{file}, {error}") from None


def _require_apart(submissions: Path, results: Path) -> None:
    handed_in, out = real(submissions), real(results)
    if out.is_relative_to(handed_in) or handed_in.is_relative_to(out):
        raise click.UsageError(f"{results} and {submissions} are one in the other: results need a folder of their own.")


def _require_names(exports: Iterable[str], exercise: Exercise, collected: Collected, adjusted: Container[str]) -> None:
    """GradebookError before anything is graded, if a platform could not tell who a row with points is."""
    rows = [Row(each.id, each.source, {}, person=each.person) for each in collected.handed_in]
    rows += [Row(each.id, None, {}, person=each) for each in collected.absent if each.id in adjusted]
    for name in exports:
        _export(name, Gradebook(exercise.id, exercise.title, (), tuple(rows)))


def _export(name: str, gradebook: Gradebook) -> str:
    module = importlib.import_module(f"grader.report.gradebook.{name}")
    return cast(str, module.render(gradebook))


def _reports(exercise: Exercise) -> Reports:
    """What is written for each: a report of a grade, or the reason why there is none."""

    def reports(id: str, shown: Grade | str) -> Mapping[str, str]:
        if isinstance(shown, Grade):
            return {f".{format}": render(shown, format) for format in FORMATS}
        ungraded = Ungraded(exercise.id, exercise.title, id, shown)
        return {f".{format}": render_ungraded(ungraded, format) for format in FORMATS}

    return reports


def _announce(exercise: Exercise, run: Run, results: Results) -> None:
    """Say what keeps rows from being whole, and what is other than it was in the run before."""
    if exercise.edition:
        missing = sum((each.elsewhere.points for each in exercise.functions), Decimal(0))
        click.echo(
            f"This is the learners' edition: {missing:f} points are graded elsewhere, no row has them.", err=True
        )
    if outdated := run.outdated():
        which = f"all {outdated:,}" if outdated == run.step.total else f"{outdated:,} of {run.step.total:,}"
        click.echo(f"The suite, or this version of course, has changed since: {which} are graded again.", err=True)
    if others := results.others():
        click.echo(f"Nothing is handed in any more by {named(others)}: their rows go, their files stay.", err=True)


def _write(results: Results, gradebook: Gradebook, changes: Sequence[Change], exports: Iterable[str]) -> None:
    """Write what is about the whole class; the gradebook last, for the next run compares with it."""
    if changes:
        results.write("changes.csv", changes_format.render(changes))
    for name in exports:
        results.write(f"{name}.csv", _export(name, gradebook))
    results.write("summary.md", summary.render(gradebook))
    results.write(GRADEBOOK, csv.render(gradebook))


def _say(gradebook: Gradebook, changes: Sequence[Change], step: Step, request: Request) -> None:
    options = Options(width=shutil.get_terminal_size((80, 0)).columns, colour=wants_colour())
    click.echo(text.render(gradebook, options), color=True)
    if changes:
        click.echo("\n".join((*changes_format.lines(changes), "")))
    counts = {
        "graded now": step.graded,
        "as they were": step.unchanged,
        "not to be graded": step.refused,
        "on which the grader failed": step.faults,
    }
    click.echo(", ".join(f"{count:,} {words}" for words, count in counts.items() if count) + ".")
    for name in request.exports:
        click.echo(f"For {name.capitalize()}: {request.results / name}.csv")
    click.echo(f"The gradebook is {request.results / GRADEBOOK}.")
    if step.faults:
        click.echo("The grader failed: its rows say why, and the same command tries them again.", err=True)
