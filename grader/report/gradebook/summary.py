"""A summary of a class's results as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.gradebook import Gradebook
from grader.report._learner_text import one_line
from grader.report.gradebook._words import Section, sections


def render(gradebook: Gradebook) -> str:
    """Render the summary of ``gradebook``."""
    lines = [f"# {escape(one_line(gradebook.title))}"]
    for section in sections(gradebook):
        lines += ["", *_lines(section)]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    r"""A line of text that Markdown shows as it is, wherever in a paragraph or an item.

    >>> escape("1. *bold* snake_case <b> www.example.org")
    '1\\. \\*bold\\* snake_case \\<b\\> www\\.example.org'
    """
    text = re.sub(r"([\\`*\[\]<>|~$@]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;))", r"\\\1", text)
    # GitHub makes links of bare addresses.
    text = re.sub(r"(?i)(www)(?=\.)|(:)(?=//)", lambda found: f"{found[0]}\\", text)
    return re.sub(r"^([#+=:-])|^(\d+)(?=[.)])", lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\", text)


def _lines(section: Section) -> Iterator[str]:
    yield f"## {section.title}"
    yield ""
    yield escape(section.text)
    if section.chart:
        yield from ("", "```text", *section.chart, "```")
    if section.items:
        yield ""
        yield from (f"- {escape(item)}" for item in section.items)
