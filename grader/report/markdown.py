"""The report as Markdown, for the summary of a GitHub workflow and for people.

What a learner may have written stands in fences alone, where nothing is a link, a mention, HTML or a cell of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from grader.report import Options, _words
from grader.report._learner_text import one_line
from grader.report._markup import markdown, prose
from grader.report.text import explanation
from grader.results import Criterion, Grade

# GitHub takes a summary of up to 1 MiB, or none of it.
MOST_BYTES = 900_000

_DEFAULT = Options()


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` with a table of its functions, and each failure folded."""
    return "\n\n".join(_blocks(grade)) + "\n"


def _blocks(grade: Grade) -> Iterator[str]:
    yield f"## {markdown(one_line(f'{grade.exercise}: {grade.title}'))}"
    yield f"**{_words.score(grade)}**"
    if grade.notes:
        yield _fenced(map(one_line, grade.notes))
    yield _table(grade)
    yield from _problems([criterion for criterion in grade.criteria if criterion.status in _words.PROBLEMS])
    yield markdown(" ".join([_words.summary(grade), *_words.left_out(grade)]))
    said, step = _words.verdict(grade), grade.next
    if said is not None:
        yield f"**{markdown(said)}**"
    elif step is not None:
        yield f"**{'Begin' if _words.begins(grade) else 'Next'}**"
        commands = one_line(step.command), one_line(_words.hint_command(step))
        yield _fenced([f"{one_line(step.text)}, then", f"    {commands[0]}", f"Stuck? {commands[1]}"])


def _table(grade: Grade) -> str:
    rows = [("function", "criteria"), ("---", "---")]
    rows += [(markdown(each.name), _words.counts(each.statuses, bare=True)) for each in grade.functions]
    if grade.faulty:
        return "\n".join(f"| {name} | {counted} |" for name, counted in rows)
    points = ["points", "---:"]
    points += [f"{_words.points(each.earned)} of {_words.points(each.points)}" for each in grade.functions]
    return "\n".join(f"| {name} | {score} | {counted} |" for (name, counted), score in zip(rows, points, strict=True))


def _problems(criteria: list[Criterion]) -> Iterator[str]:
    room = MOST_BYTES
    for index, criterion in enumerate(criteria):
        title = f"{_words.PROBLEMS[criterion.status]} {prose(_words.name(criterion))}"
        block = f"<details>\n<summary>{title}</summary>\n\n{_fenced([explanation(criterion)])}\n\n</details>"
        room -= len(block.encode())
        if room < 0:
            yield f"{len(criteria) - index} more are left out: there is no room for them here."
            return
        yield block


def _fenced(lines: Iterable[str]) -> str:
    """Lines as a block of code, whatever is in them."""
    text = "\n".join(lines)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"
