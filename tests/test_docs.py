"""What docs/ shows is tried: its files make a course, its commands run, its wrong lines are named.

A block says after its language which file it is, or goes on with; ``sh`` is what to type in the course. What is only
``shown`` needs another machine.
"""

from __future__ import annotations

import csv
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.audit.boundary import check_boundary
from grader.audit.suite import read_suite
from grader.cli import main
from grader.course import Course
from grader.course.library import Library
from grader.course.markdown import read_page
from grader.course.page import Fence, Page
from grader.course.source import SCHEMAS
from grader.results import Finding
from grader.rules import rules
from grader.rules.engine import check
from grader.runner import Grader, read_submission
from tests.installed import checked

ROOT = Path(__file__).parents[1]
FORMAT = ROOT / "docs" / "lesson-format.md"
SUITE = ROOT / "docs" / "writing-a-suite.md"
CLASS = ROOT / "docs" / "grading-a-class.md"
Typed = Callable[[str, Path], str]
COURSE = "schema: 1\ntitle: Rows\ndescription: Keeping them.\nsuites: suites\n"


def read(file: Path) -> Page:
    return read_page(file.name, file.read_bytes())


def blocks(file: Path) -> Iterator[tuple[list[str], Fence]]:
    """Each block of code with the words after its language, or its language if there are none."""
    page = read(file)
    for fence in page.fences:
        language, *names = page.text.line(fence.span.line).lstrip("`").split() or [""]
        yield names or [language], fence


def block(file: Path, kind: str) -> str:
    (found,) = [fence.content for names, fence in blocks(file) if names == [kind]]
    return found


def write(file: Path, root: Path) -> None:
    """Write the files that a page shows."""
    for names, fence in blocks(file):
        for name in names:
            if "." in name:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                with (root / name).open("a", encoding="utf-8") as stream:
                    stream.write(("\n\n" if stream.tell() else "") + fence.content)


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typed:
    """What a command prints that is typed in a folder, and that must succeed; ``course`` runs in this process."""

    def typed(command: str, folder: Path) -> str:
        program, *arguments = shlex.split(command)
        monkeypatch.chdir(folder)
        if program != "course":
            return checked(Path(sys.executable).with_name(program), *arguments)
        monkeypatch.setattr(sys, "argv", [program, *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert (ended.value.code or 0, printed.err) == (0, ""), (command, *printed)
        return printed.out

    return typed


def course_of(root: Path) -> Course:
    return Course.read(root / "course.yml")


@pytest.mark.parametrize("file", [FORMAT, SUITE, CLASS], ids=lambda file: file.stem)
def test_every_block_is_tried(file: Path) -> None:
    for names, fence in blocks(file):
        assert all("." in name for name in names) or names[0] in ("sh", "shown", "wrong", "instead"), fence.span.line


# The lesson format.


def test_the_course_that_is_shown_is_right(typed: Typed, tmp_path: Path) -> None:
    write(FORMAT, tmp_path)
    course = course_of(tmp_path)
    library = Library(tmp_path, course)
    assert list(library.lessons) == ["lesson1"]
    assert check(library, rules().values()) == ()
    typed("course check --no-cache", tmp_path)


def test_the_keys_are_those_of_the_schema() -> None:
    schema = json.loads((SCHEMAS / "lesson.json").read_text("utf-8"))
    expected = [
        f"| `{key}`{'' if key in schema['required'] else ', optional'} | {each['description']} |"
        for key, each in schema["properties"].items()
    ]
    lines = FORMAT.read_text("utf-8").splitlines()
    start = lines.index("| key | must be |") + 2
    assert lines[start : lines.index("", start)] == expected


# Writing a suite.


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """The exercise that the page about suites writes, in a course."""
    (tmp_path / "course.yml").write_text(COURSE)
    write(SUITE, tmp_path)
    return tmp_path


def test_the_commands_that_are_shown_prove_the_exercise(typed: Typed, rows: Path) -> None:
    proven, *_ = [typed(command, rows) for command in block(SUITE, "sh").splitlines()]
    assert all(f"  {criterion} " in proven for criterion in ("keep-rows", "keep-memory", "mean-mean"))
    assert "3 criteria, " in proven
    assert proven.endswith(" files checked: nothing to mend.\n")


def boundary(rows: Path, code: str) -> list[Finding]:
    """What an audit says of a suite with ``code`` in it, about what cannot cross."""
    (rows / "suites" / "rows" / "test_more.py").write_text(code, "utf-8")
    exercise = course_of(rows).exercise("rows")
    assert exercise.suite is not None
    functions = [function.name for function in exercise.functions]
    return list(check_boundary(read_suite(exercise.suite), functions, exercise.files))


def test_what_cannot_cross_is_named_with_its_line(rows: Path) -> None:
    code = block(SUITE, "wrong")
    marked = [number for number, line in enumerate(code.splitlines(), 1) if "  # " in line]
    assert sorted(finding.line or 0 for finding in boundary(rows, code)) == marked


def test_what_to_write_instead_crosses(rows: Path) -> None:
    code = block(SUITE, "instead")
    assert boundary(rows, code) == []
    manifest = rows / "exercises" / "rows" / "exercise.yml"
    manifest.write_text(manifest.read_text("utf-8").replace("points: 3", "points: 4"))
    exercise = course_of(rows).exercise("rows")
    assert exercise.suite is not None
    with Grader(exercise) as grader:
        grade = grader.grade(read_submission(exercise.suite / "reference", exercise))
    assert {found.id: found.status for found in grade.criteria}["keep-instead"] == "passed"
    assert grade.earned == grade.points


# Grading a class.


def test_a_class_is_graded_from_an_empty_folder(typed: Typed, tmp_path: Path) -> None:
    printed = ""
    for names, fence in blocks(CLASS):
        if names == ["sh"]:
            printed += "".join(typed(command, tmp_path) for command in fence.content.splitlines())
        elif names != ["shown"]:
            (file,) = names
            (tmp_path / file).write_text(fence.content, "utf-8")
    results = tmp_path / "results"
    with (results / "gradebook.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = {row["id"]: (row["status"], row["total"]) for row in csv.DictReader(stream)}
    assert rows == {"7001": ("graded", "0"), "7002": ("graded", "2"), "7003": ("absent", "-1")}
    assert "7002: from 0 to 2 points" in printed
    made = ["7001.html", "7001.json", "summary.md", "changes.csv", "moodle.csv"]
    made += ["../template/.github/workflows/grade.yml", "../alike/index.html", "../lesson10.zip"]
    assert [name for name in made if not (results / name).is_file()] == []
