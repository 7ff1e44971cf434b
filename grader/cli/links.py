"""Ask whether the addresses that the content links to still answer."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import click

from grader.report.findings import formats

if TYPE_CHECKING:
    from grader.cli._tree import Tree
    from grader.links import Answer, Mention
    from grader.results import Check, Finding

DAY = 86_400
EXTRA = "course links needs httpx: pip install 'sharded-training-course[links]'."


def _pattern(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    for each in given:
        try:
            re.compile(each)
        except re.error as error:
            raise click.BadParameter(f"{each!r} is no regular expression: {error}.") from None
    return given


@click.command("links")
@click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--ignore", metavar="REGEX", multiple=True, callback=_pattern, help="Leave out addresses like this.")
@click.option(
    "--max-age", metavar="DAYS", type=click.FloatRange(0), default=7, show_default=True,
    help="Ask again what was good longer ago than that.",
)  # fmt: skip
@click.option("--list", "only_list", is_flag=True, help="Print the addresses, and ask none.")
@click.option("--format", type=click.Choice(formats()), default="text", show_default=True, help="How to report.")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write the report to FILE.")
def command(
    paths: tuple[Path, ...],
    ignore: tuple[str, ...],
    max_age: float,
    only_list: bool,
    format: str,
    output: Path | None,
) -> int:
    """Ask the external addresses of all pages, or of those in PATHs. For a job that runs by itself now and then.

    An address is broken if its server says that the page is gone, or if there is no such server. One that refuses,
    limits, fails or is slow is unknown, and one that has moved for good is said: both are warnings.

    Ends with 0 if nothing is broken, 1 if something is, 2 if there was nothing to look at.
    """
    try:
        from grader.links import mentions
    except ModuleNotFoundError as error:
        raise click.UsageError(EXTRA) from error
    from grader.cli._failures import MISSING
    from grader.cli._files import require_folder
    from grader.cli._findings import show
    from grader.cli._tree import find_tree
    from grader.report.findings import Options

    require_folder("--output", output)
    tree = find_tree(paths, None)
    course = tree.library.course
    pages = [page for page in tree.library.pages() if tree.paths is None or page.path in tree.paths]
    found = mentions(pages, (*ignore, *(course.ignored_links if course is not None else ())))
    if only_list:
        click.echo("".join(f"{url}\n" for url in found), nl=False)
        return 0
    check = _check(tree, len(pages), found, max_age * DAY)
    show(check, tree, Options(), format, output)
    return MISSING if check.count("error") else 0


def _check(tree: Tree, pages: int, found: Mapping[str, Sequence[Mention]], max_age: float) -> Check:
    from grader.cli._findings import quoted
    from grader.links import Status
    from grader.results import Check

    answers, remembered = _answers(list(found), max_age)
    findings = tuple(sorted(_findings(answers, found), key=lambda each: (each.path, each.line or 0, each.column or 0)))
    counts = Counter(answer.status for answer in answers)
    said = "".join(f", {counts[status]:,} {status}" for status in get_args(Status) if counts[status])
    note = f"{len(answers):,} different addresses{said}; {remembered:,} of them as remembered"
    return Check(findings, pages, ("external-link",), quoted(findings, tree.root), (note,))


def _answers(urls: Sequence[str], max_age: float) -> tuple[list[Answer], int]:
    """What each address answers now, or did not long ago; and of how many that was remembered."""
    from grader.cli._files import write_atomically
    from grader.cli._state import cache_file
    from grader.links import Memory, Policy, visit_all

    file = cache_file("links.json")
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        text = ""
    memory = Memory(text, max_age=max_age, now=time.time())
    known = {url: answer for url in urls if (answer := memory.recall(url)) is not None}
    waiting = [url for url in urls if url not in known]
    asked = visit_all(waiting, Policy(), tell=_Progress(len(waiting)))
    try:
        write_atomically(file, memory.with_answers(asked).encode())
    except OSError as error:
        click.echo(f"All will be asked again next time: {file} cannot be written: {error.strerror}.", err=True)
    answers = known | {answer.url: answer for answer in asked}
    return [answers[url] for url in urls], len(known)


class _Progress:
    """Counts the answers on a terminal."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0

    def __call__(self, answer: Answer) -> None:
        self._done += 1
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K" + (f"{self._done} of {self._total}" if self._done < self._total else ""))
            sys.stderr.flush()


def _findings(answers: Iterable[Answer], found: Mapping[str, Sequence[Mention]]) -> Iterable[Finding]:
    from grader.results import Finding

    for answer in answers:
        if answer.status == "ok":
            continue
        for place in found[answer.url]:
            span = place.span
            yield Finding(
                rule="external-link",
                severity="error" if answer.status == "broken" else "warning",
                path=place.path,
                line=span.line,
                column=span.column,
                end_line=span.end_line,
                end_column=span.end_column,
                message=f"{answer.status}: {answer.url}: {answer.reason}",
                fix=None if answer.location is None else f"link {answer.location}",
            )
