"""Turn a lesson as it was first written into a lesson file, and say what is left to do."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli._files import real, require_folder, write_atomically, write_new

if TYPE_CHECKING:
    from grader.course.library import Library
    from grader.course.page import Text
    from grader.results import Finding

ROUNDS = 10


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--output", metavar="FILE", type=click.Path(path_type=Path), help="Where to write it, not to the terminal."
)
@click.option("--overwrite", is_flag=True, help="Write to the file of --output even if it is there already.")
def command(file: Path, output: Path | None, overwrite: bool) -> None:
    """Bring FILE into the form of a lesson as far as its lines say what they are.

    FILE may have a title and other keys without fences, sections in lines of their own, bullets and boxes of any
    kind, questions with "Answer:" below them. No word of it is left out.
    """
    require_folder("--output", output)
    content = _read(file)
    target = output or file
    lesson, left = finished(target.stem, content, _library(target))
    if output is None:
        click.echo(lesson.decode(), nl=False)
    elif overwrite:
        write_atomically(real(output), lesson)
    elif output.exists():
        raise click.UsageError(f"{output} is there already. Nothing was written; --overwrite writes over it.")
    else:
        write_new({output: lesson})
    for line in _report(output, left):
        click.echo(line, err=output is None)


def finished(id: str, content: str, library: Library) -> tuple[bytes, list[Finding]]:
    """The lesson ``id`` that a draft becomes, and what is left to do. Edits of rules that lose no word are made."""
    from grader.course.drafts import shaped
    from grader.course.page import Text
    from grader.rules.fixes import fix

    lesson = shaped(content).encode()
    for _ in range(ROUNDS):
        left = _findings(f"lessons/{id}.md", lesson, library)
        text = Text(lesson.decode())
        lesson, mended = fix(lesson, [finding for finding in left if _keeps_every_word(finding, text)])
        if not mended:
            break
    return lesson, left


def _findings(path: str, lesson: bytes, library: Library) -> list[Finding]:
    from grader.course._reading import read_lesson
    from grader.course.markdown import read_page
    from grader.rules import LessonRule, PageRule, rules
    from grader.rules.engine import running_of

    page = read_page(path, lesson, library.dialect)
    found: list[Finding] = []
    for rule in running_of(library, rules().values()):
        if isinstance(rule, PageRule):
            found += rule.check(page, library)
        elif isinstance(rule, LessonRule):
            found += rule.check(read_lesson(page), library)
    return sorted(found, key=lambda finding: (finding.line or 0, finding.column or 0))


def _keeps_every_word(finding: Finding, text: Text) -> bool:
    spans = [
        (text.offset(each.line, each.column), text.offset(each.end_line, each.end_column)) for each in finding.edits
    ]
    old = words("\n".join(text.content[start:end] for start, end in spans))
    return bool(spans) and old <= words("\n".join(each.text for each in finding.edits))


def words(text: str) -> Counter[str]:
    """The words of a text, in lower case, and how often each is there."""
    return Counter(re.findall(r"\w+", text.casefold()))


def _read(file: Path) -> str:
    from grader.course import CourseError
    from grader.course.page import Text

    try:
        return Text.decode(file.read_bytes(), file).content
    except OSError as error:
        raise click.UsageError(f"{file} cannot be read: {error.strerror}.") from None
    except CourseError as error:
        raise click.UsageError(f"{error}.") from None


def _library(target: Path) -> Library:
    from grader.course import Course
    from grader.course.library import Library

    course = Course.find(target.absolute().parent)
    return Library(course.file.parent, course, course.anchors)


def _report(output: Path | None, left: list[Finding]) -> list[str]:
    where = "the lesson" if output is None else str(output)
    if not left:
        return [f"Nothing is left to do in {where}."]
    lines = [f"Left to do in {where}:"]
    for finding in left:
        lines.append(f"  line {finding.line or 1}: {finding.message}")
        lines += [f"    {line}" for line in (finding.fix or "").splitlines()]
    file = "FILE" if output is None else shlex.quote(str(output))
    return [*lines, "", f"Next   mend these, then course check {file}"]
