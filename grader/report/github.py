"""The report for the log of a GitHub workflow: an annotation at the learner's line for each failed criterion.

GitHub shows the first ten of a step. A hidden criterion gets none.
"""

from __future__ import annotations

from collections.abc import Iterator

from grader.report import Options, _words
from grader.report._github import command
from grader.report._learner_text import one_line
from grader.report.findings._words import located
from grader.report.text import explanation
from grader.results import Criterion, Grade

# GitHub cuts what is longer, without saying so.
LONGEST_MESSAGE = 4_000

_DEFAULT = Options()


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` with a command a line, and what there is to say of the whole at the end."""
    homes = {function.name: function.file for function in grade.functions}
    lines = [
        _annotation(criterion, homes.get(criterion.function), options)
        for criterion in grade.criteria
        if criterion.status in _words.PROBLEMS and criterion.visibility == "visible"
    ]
    lines += [command("notice", {}, one_line(note)) for note in grade.notes]
    # A command of the old form may be anywhere in a line.
    lines += [line.replace("##[", "# #[") for line in _whole(grade)]
    return "\n".join([*lines, ""])


def _annotation(criterion: Criterion, home: str | None, options: Options) -> str:
    where = criterion.where
    file, line = (home, None) if where is None else (where.file, where.line)
    properties = {
        # A fault of the suite is at no line of the learner's.
        "file": None if file is None or criterion.status == "error" else located(options.folder, file),
        "line": line,
        "title": _words.name(criterion),
    }
    message = explanation(criterion)
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[:LONGEST_MESSAGE]}\n... {len(message) - LONGEST_MESSAGE:,} characters left out ..."
    return command("error", properties, message)


def _whole(grade: Grade) -> Iterator[str]:
    yield f"{grade.exercise}: {_words.score(grade)}"
    yield _words.summary(grade)
    yield from _words.left_out(grade)
    said, step = _words.verdict(grade), grade.next
    if said is not None:
        yield said
    elif step is not None:
        yield f"Next: {one_line(step.text)}, then {one_line(step.command)}"
