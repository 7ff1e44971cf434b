"""Grade a class: a row and a report for everyone."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from grader.cli._options import FENCES
from grader.results import DEFAULT_SEED
from grader.runner.start import Processes


@click.command("batch")
@click.argument("submissions", type=click.Path(exists=True, path_type=Path))
@click.option("--exercise", metavar="ID", required=True, help="Which exercise they are work on.")
@click.option("--out", metavar="RESULTS", required=True, type=click.Path(path_type=Path), help="Where results go.")
@click.option(
    "--roster",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Who is in the class, as CSV with a column id.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="How many to grade side by side.  [default: one more than there are processors]",
)
@click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True, help="Where random cases come from.")
@FENCES
@click.option(
    "--export",
    type=click.Choice(["canvas", "moodle"]),
    multiple=True,
    help="Write a file to import there, too. May be repeated.",
)
@click.option("--scheduler", metavar="ADDRESS", help="Grade on the Dask cluster that has its scheduler there.")
def command(
    submissions: Path,
    exercise: str,
    out: Path,
    roster: Path | None,
    workers: int | None,
    seed: int,
    fences: str,
    export: tuple[str, ...],
    scheduler: str | None,
) -> int:
    """Grade SUBMISSIONS, a folder with a folder, a file or an archive from each learner.

    RESULTS gets a report for each, gradebook.csv, a summary, and what changed since the last time; adjustments.csv
    there (id,points,note) is laid on top. A run that was stopped goes on, and what is as it was is not graded again.

    Ends with 0 if every row has a result, 2 on wrong usage, 3 if the suite or the grader is at fault.
    """
    # They import while this process does: all else that grading needs is imported after they have started.
    with Processes() if scheduler is None else nullcontext() as processes:
        from grader.cli._batch import Request, batch

        strict, exports = fences == "strict", tuple(dict.fromkeys(export))
        request = Request(submissions, exercise, out, roster, workers, seed, strict, exports, scheduler)
        return batch(request, processes)
