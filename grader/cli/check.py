"""Check the content: lessons, links, questions, glossary, exercises."""

from __future__ import annotations

from pathlib import Path

import click

from grader.report.findings import formats

DIALECTS = ("github", "kramdown", "pandoc", "mkdocs", "myst")


@click.command("check")
@click.argument("paths", metavar="[PATH...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--select", metavar="RULE,…", multiple=True, help="Only these rules or groups of rules, such as links.")
@click.option("--ignore", metavar="RULE,…", multiple=True, help="All but these rules or groups of rules.")
@click.option("--format", type=click.Choice(formats()), default="text", show_default=True, help="How to report.")
@click.option("--output", metavar="FILE", type=click.Path(path_type=Path), help="Write the report to FILE.")
@click.option("--fix", is_flag=True, help="Mend what can be mended without changing what the content means.")
@click.option("--baseline", metavar="FILE", type=click.Path(path_type=Path), help="Leave out what FILE knows.")
@click.option("--write-baseline", is_flag=True, help="Write all findings to the file of --baseline.")
@click.option(
    "--dialect",
    type=click.Choice(DIALECTS),
    help="Whose Markdown it is, in a folder without a course.yml.  [default: github]",
)
@click.option("--no-cache", is_flag=True, help="Look at everything, also if nothing has changed.")
@click.option("-v", "--verbose", is_flag=True, help="Say why, too, and what was checked.")
def command(
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    format: str,
    output: Path | None,
    fix: bool,
    baseline: Path | None,
    write_baseline: bool,
    dialect: str | None,
    no_cache: bool,
    verbose: bool,
) -> int:
    """Check files and folders, or the whole course: `course rules` tells what for.

    With PATHs, rules about the course as a whole do not run. A folder without a course.yml is checked by the rules
    that need none. Text such as <!-- check: ignore RULE because … --> leaves a finding out: on lines of its own in
    the block that comes next, within a line in that line.

    Ends with 0 if there is no error (warnings are none), 1 if there is, 2 if there was nothing to check, 3 if a rule
    itself fails.
    """
    from grader.cli._checking import Request, check

    return check(
        Request(
            paths=paths,
            select=_names(select),
            ignore=_names(ignore),
            format=format,
            output=output,
            fix=fix,
            baseline=baseline,
            write_baseline=write_baseline,
            dialect=dialect,
            cache=not no_cache,
            verbose=verbose,
        )
    )


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for each in given for name in each.split(",") if name)
