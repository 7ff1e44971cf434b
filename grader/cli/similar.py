"""Show which submissions of a class look alike, side by side."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from grader.batch import HandedIn
    from grader.course import Exercise
    from grader.runner.submission import Submission
    from grader.similar import Compared

EXTRA = "course similar needs copydetect: pip install 'sharded-training-course[similar]'."
PAGES = 500
INDEX, TABLE, PAGE_NAMES = "index.html", "pairs.csv", "pair-*.html"
MARKER = ".course-similar"


@click.command("similar")
@click.argument("submissions", metavar="SUBMISSIONS", type=click.Path(path_type=Path))
@click.option("--exercise", "id", metavar="ID", required=True, help="Which exercise they are of.")
@click.option(
    "--out", metavar="FOLDER", required=True, type=click.Path(path_type=Path), help="Where to write the pages."
)
@click.option("--roster", metavar="FILE", type=click.Path(path_type=Path), help="Names people as this CSV file does.")
@click.option(
    "--least", metavar="SHARE", type=click.IntRange(1, 100), default=60, show_default=True,
    help="Show pairs of which one has so many percent of what the other wrote.",
)  # fmt: skip
def command(submissions: Path, id: str, out: Path, roster: Path | None, least: int) -> int:
    """Find pairs in the folder SUBMISSIONS that look copied, and write them side by side into FOLDER.

    Other names, comments, layout and another order of functions hide nothing. What stands in the stubs, the given
    files or the reference counts for nobody, nor does what a quarter of a large class wrote. Alike is no proof.

    FOLDER gets index.html, pairs.csv, and a page for each of the first 500 pairs.

    Ends with 0 whether there are pairs or not, 2 on wrong usage.
    """
    try:
        from grader.similar import compare
    except ModuleNotFoundError as error:
        raise click.UsageError(EXTRA) from error
    from grader.batch import CollectError, RosterError, collect, read_roster
    from grader.cli._target import find_target, suite_of
    from grader.cli._terminal import wants_colour
    from grader.report import Options
    from grader.report.similar import text

    target = find_target(submissions, id)
    target.check()
    suite_of(target)
    _require_own(out, submissions)
    try:
        collected = collect(submissions, None if roster is None else read_roster(roster))
    except (CollectError, RosterError) as error:
        raise click.UsageError(f"{error}.") from None
    files = _Files({each.id: each for each in collected.handed_in}, target.exercise)
    compared = compare(files, target.exercise, Fraction(least, 100), _progress if sys.stderr.isatty() else _quiet)
    try:
        _write(out, compared)
    except OSError as error:
        raise click.UsageError(f"{error.filename or out} cannot be written: {error.strerror}.") from None
    options = Options(width=shutil.get_terminal_size((80, 0)).columns, colour=wants_colour())
    click.echo(text.render(compared.likeness, options), nl=False, color=wants_colour())
    click.echo(f"\n{out / INDEX}")
    return 0


class _Files(Mapping[str, "Submission"]):
    """What was handed in, by id, read when it is asked for, so that memory does not grow with the class."""

    def __init__(self, handed_in: Mapping[str, HandedIn], exercise: Exercise) -> None:
        self._handed_in, self._exercise = handed_in, exercise

    def __getitem__(self, id: str) -> Submission:
        from grader.batch import read_handed_in

        return read_handed_in(self._handed_in[id], self._exercise)

    def __iter__(self) -> Iterator[str]:
        return iter(self._handed_in)

    def __len__(self) -> int:
        return len(self._handed_in)


def _require_own(out: Path, submissions: Path) -> None:
    """Refuse a folder that has something in it that this command did not write, or that would be handed in."""
    if out.resolve().is_relative_to(submissions.resolve()):
        raise click.UsageError(f"{out} lies in {submissions}, where it would be taken for a submission.")
    try:
        if out.exists() and not (out / MARKER).is_file() and any(out.iterdir()):
            raise click.UsageError(f"{out} has files in it that course similar did not write: name another folder.")
    except OSError as error:
        raise click.UsageError(f"--out: {out} cannot be used: {error.strerror}.") from None


def _write(out: Path, compared: Compared) -> None:
    """Write all files anew, the list last: where it is, all is there."""
    from grader.cli._files import write_atomically
    from grader.report.similar import csv, index, pair

    likeness = compared.likeness
    out.mkdir(parents=True, exist_ok=True)
    (out / MARKER).write_text("course similar replaces its files in this folder: index.html, pairs.csv, pair-*.html.\n")
    for old in (out / INDEX, out / TABLE, *out.glob(PAGE_NAMES)):
        old.unlink(missing_ok=True)
    for rank, each in enumerate(likeness.pairs[:PAGES], 1):
        page = pair.render(compared.side_by_side(each), likeness.exercise)
        write_atomically(out / csv.page_name(rank), _encoded(page))
    write_atomically(out / TABLE, _encoded(csv.render(likeness, PAGES)))
    write_atomically(out / INDEX, _encoded(index.render(likeness, PAGES)))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _progress(done: int, total: int) -> None:
    sys.stderr.write("\r\x1b[K" + (f"{done:,} of {total:,}" if done < total else ""))
    sys.stderr.flush()


def _quiet(done: int, total: int) -> None:
    pass
