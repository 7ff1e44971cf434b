"""Grade your work: what is wrong, where, and the next step."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli._options import FENCES
from grader.report import formats
from grader.results import DEFAULT_SEED
from grader.runner.start import Processes


@click.command("grade")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--exercise",
    metavar="ID",
    help="Which exercise PATH is work on. Needed for work of others: nothing in PATH decides then.",
)
@click.option("--format", type=click.Choice(formats()), default="text", show_default=True, help="How to report.")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write the report to FILE.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write a web page to FILE, too.")
@click.option("--only", metavar="FUNCTION", multiple=True, help="Grade this function only. May be repeated.")
@click.option("--seed", type=int, default=DEFAULT_SEED, show_default=True, help="Where random cases come from.")
@click.option("--verbose", is_flag=True, help="List every criterion, and every failure.")
@click.option("--timeline", is_flag=True, help="Draw memory over time where a criterion passed, too.")
@FENCES
@click.option("--require-fences", is_flag=True, help="Refuse to grade where one of these fences cannot be had.")
@click.option("--watch", is_flag=True, help="Grade again whenever a file changes.")
def command(
    path: Path,
    exercise: str | None,
    format: str,
    output: Path | None,
    html: Path | None,
    only: tuple[str, ...],
    seed: int,
    verbose: bool,
    timeline: bool,
    fences: str,
    require_fences: bool,
    watch: bool,
) -> int:
    """Grade PATH: the folder of an exercise, or any folder or single file with --exercise.

    With --format github, a summary is added to the file that GITHUB_STEP_SUMMARY names, too.

    Ends with 0 if every point was earned, 1 if points are missing, 2 if there was nothing to grade, 3 if the suite
    or the grader is at fault.
    """
    # They import while this process does: all else that grading needs is imported after they have started.
    with Processes() as processes:
        from grader.cli._grading import Request, grade

        strict = fences == "strict"
        request = Request(
            path, exercise, format, output, html, only, seed, verbose, timeline, strict, require_fences, watch
        )
        return grade(request, processes)
