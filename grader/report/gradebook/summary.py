"""A summary of a class's results as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from grader.gradebook import Gradebook
from grader.report._learner_text import one_line
from grader.report._markup import markdown
from grader.report.gradebook._words import Section, sections


def render(gradebook: Gradebook) -> str:
    """Render the summary of ``gradebook``."""
    lines = [f"# {markdown(one_line(gradebook.title))}"]
    for section in sections(gradebook):
        lines += ["", *_lines(section)]
    return "\n".join(lines) + "\n"


def _lines(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    yield ""
    yield markdown(section.text)
    if section.chart:
        yield from ("", "```text", *section.chart, "```")
    if section.items:
        yield ""
        yield from (f"- {markdown(item)}" for item in section.items)
