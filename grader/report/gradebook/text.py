"""A summary of a class's results for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from grader.gradebook import Gradebook
from grader.report import Options
from grader.report._console import hanging, new_console, printed
from grader.report.gradebook._words import Section, sections

MOST = 5

_DEFAULT = Options()


def render(gradebook: Gradebook, options: Options = _DEFAULT) -> str:
    """Render the summary of ``gradebook``, of each list its first items unless ``options`` ask for more."""
    console = new_console(options.width, options.colour)
    lines = [line for section in sections(gradebook) for line in (Text(), *_lines(section, options, console))]
    return printed(lines[1:], console)


def _lines(section: Section, options: Options, console: Console) -> Iterator[Text]:
    yield from hanging(Text(), Text(section.text, "bold"), console)
    yield from (Text(line) for line in section.chart)
    most = len(section.items) if options.verbose else MOST
    for item in section.items[:most]:
        yield from hanging(Text("- "), Text(item), console)
    if len(section.items) > most:
        yield Text(f"and {len(section.items) - most:,} more", "dim")
