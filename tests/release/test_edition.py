"""What learners get: all that is visible works, and nothing that is hidden is in it."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml
from click.testing import CliRunner

from grader.cli.release import command
from grader.course import Course, CourseError
from grader.course.exercise import Part, read_exercise
from grader.release import Edition, make_edition
from grader.report import formats, render
from grader.runner import Grader, Submission, read_submission
from tests.installed import run_installed

from .conftest import ROOT

COURSE = Course.read(ROOT / "course.yml")
CASES = ROOT / "tests" / "cases"
LEAKED = "What the padding held got into the result."


def hidden_functions(id: str) -> Iterator[ast.FunctionDef]:
    """The tests of a suite whose criterion has another visibility than the usual one."""
    suite = COURSE.exercise(id).suite
    assert suite is not None
    for file in suite.glob("test_*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and "visibility='" in "".join(map(ast.unparse, node.decorator_list)):
                yield node


def texts(node: ast.AST) -> set[str]:
    """The texts of three words or more in a part of a suite."""
    constants = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
    return {text for text in constants if isinstance(text, str) and len(re.findall(r"\w+", text)) > 2}


def visible_texts(files: dict[str, str]) -> str:
    return "\n".join(text for source in files.values() for text in texts(ast.parse(source)))


@pytest.fixture(scope="session")
def hidden(edition: Path) -> set[str]:
    """Every text that hidden criteria have and visible ones have not, hints and titles among them."""
    kept = {str(file): file.read_text() for file in (edition / "grader" / "suites").rglob("*.py")}
    seen = visible_texts(kept)
    found = {text for id in COURSE.exercises() for node in hidden_functions(id) for text in texts(node)}
    return {text for text in found if text not in seen}


def joined(content: bytes) -> str:
    """Python's texts that are broken over lines, and Markdown's, as one."""
    return re.sub(r"\s+", " ", re.sub(r'"\s*\n\s*f?"', "", content.decode("utf-8", "replace")))


def test_there_is_something_to_look_for(hidden: set[str]) -> None:
    assert LEAKED in hidden
    assert "cuts a transpose or a slice in index order" in hidden
    assert len(hidden) > 40


def test_nothing_hidden_is_in_any_file(edition: Path, hidden: set[str]) -> None:
    for file in edition.rglob("*"):
        if file.is_file():
            text = joined(file.read_bytes())
            assert [each for each in hidden if each in text] == [], file


def test_nothing_hidden_is_in_its_wheel(wheel: Path, hidden: set[str]) -> None:
    with ZipFile(wheel) as archive:
        for name in archive.namelist():
            text = joined(archive.read(name))
            assert [each for each in hidden if each in text] == [], name


def test_no_solution_and_no_workshop_is_in_it(made: Edition) -> None:
    top = {name.partition("/")[0] for name in made.files}
    assert top == {
        ".github", ".gitignore", "README.md", "course.yml", "exercises", "glossary", "grader", "lessons",
        "pyproject.toml",
    }  # fmt: skip
    assert not [name for name in made.files if {"mutants", "reference", "__pycache__"} & {*name.split("/")}]
    for id in COURSE.exercises():
        for name in COURSE.exercise(id).files:
            stub = COURSE.exercise(id).pristine(name).read_bytes()
            assert made.files[f"exercises/{id}/{name}"] == made.files[f"exercises/{id}/.pristine/{name}"] == stub


def test_it_names_no_place_and_no_person(made: Edition) -> None:
    for told in (str(ROOT), str(Path.home()), os.environ.get("USER", "")):
        if len(told) > 6:
            assert [name for name, content in made.files.items() if told.encode() in content] == []


def broken() -> Submission:
    """Right work but for what each of these mutants has wrong, which some hidden criterion sees."""
    exercise = COURSE.exercise("lesson10")
    assert exercise.suite is not None
    files = dict(read_submission(exercise.suite / "reference", exercise).files)
    mutants = exercise.suite / "mutants"
    for name, file in (
        ("flattens_in_storage_order", "shard.py"),
        ("looks_up_without_a_check", "zero_stage.py"),
    ):
        files[file] = (mutants / name / file).read_bytes()
    homes = {function.name: function.file for function in exercise.functions}
    return Submission(files=files, homes=homes)


def test_no_report_tells_what_a_hidden_criterion_called_and_expected() -> None:
    exercise = COURSE.exercise("lesson10")
    with Grader(exercise) as grader:
        grade = grader.grade(broken())
    failed = {each.id for each in grade.criteria if each.status == "failed" and each.visibility != "visible"}
    assert {"shard-strided", "zero_stage-values"} <= failed
    inside = {text for node in hidden_functions("lesson10") for part in node.body for text in texts(part)}
    for name in formats():
        report = re.sub(r"\s+", " ", render(grade, name))
        assert [text for text in inside if text in report] == [], name
        assert not re.search(r"HYBRID\b(?!_)|a view \(|transpose\)", report), name


# What the edition does


@pytest.fixture(scope="session")
def repository(edition: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's own copy, with lesson 9 solved."""
    folder = tmp_path_factory.mktemp("learner") / "repository"
    shutil.copytree(edition, folder)
    exercise = COURSE.exercise("lesson09")
    assert exercise.suite is not None
    for name in exercise.files:
        shutil.copy(exercise.suite / "reference" / name, folder / "exercises" / "lesson09")
    return folder


def test_right_work_earns_all_that_is_graded_here_and_is_told_of_the_rest(installed: Path, repository: Path) -> None:
    done = run_installed(installed, repository, "grade", "exercises/lesson09")
    assert (done.returncode, done.stderr) == (0, "")
    assert "85 of 85 points" in done.stdout
    assert "Graded elsewhere: 10 more, worth 15 points." in done.stdout
    assert "every criterion passed" not in done.stdout


def test_stubs_begin_where_they_do_and_one_function_has_its_own_rest(installed: Path, repository: Path) -> None:
    done = run_installed(
        installed, repository, "grade", "exercises/lesson10", "--only", "shard", "--output", "report.txt"
    )
    assert done.returncode == 1
    assert "0 of 16 points; 2 more are graded elsewhere" in done.stdout
    assert "Graded elsewhere: 1 more, worth 2 points." in (repository / "report.txt").read_text()


# Runs a command after the other, and says after each with which code it ended.
COMMANDS = """
import sys
from grader.cli import main
sys.stderr = sys.stdout
for line in sys.stdin.read().splitlines():
    sys.argv = ["course", *line.split()]
    try:
        main()
    except SystemExit as ended:
        print("ended with", ended.code)
"""


def test_what_is_not_there_is_said(installed: Path, edition: Path) -> None:
    commands = {
        "check --no-cache": (0, "this is the learners' edition"),
        "audit lesson10": (1, "the learners' edition has no reference"),
        "figures --check": (3, "no reference to draw from"),
        "release out": (3, "this is the learners' edition"),
    }
    done = subprocess.run(
        [installed / "python", "-Ic", COMMANDS],
        cwd=edition, input="\n".join(commands), capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = re.findall(r"(.*?)ended with (\d)\n", done.stdout, re.DOTALL)
    for (printed, ended), (code, said) in zip(told, commands.values(), strict=True):
        assert said in re.sub(r"\s+", " ", printed)
        assert int(ended) == code
        assert "Traceback" not in printed


def test_a_push_is_graded_by_one_job_an_exercise_that_cannot_write(made: Edition) -> None:
    workflow = yaml.safe_load(made.files[".github/workflows/grade.yml"])
    ours = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    job = workflow["jobs"]["grade"]
    assert workflow["permissions"] == {"contents": "read"}
    assert job["strategy"]["matrix"]["exercise"] == COURSE.exercises()
    assert all(step["uses"] in ours for step in job["steps"] if "uses" in step)
    assert "--format github" in job["steps"][-1]["run"]


# Other courses


@pytest.fixture
def calendar(tmp_path: Path) -> Path:
    """A course with its suites in a folder of its own, in which the rule for centuries is hidden."""
    shutil.copytree(CASES / "small_course", tmp_path / "calendar")
    suite = tmp_path / "calendar" / "hidden" / "leap" / "test_leap.py"
    source = suite.read_text()
    wanted = '"is_leap", points=2, title="knows the centuries"'
    assert source.count(wanted) == 1
    suite.write_text(source.replace(wanted, f'{wanted}, visibility="hidden"'))
    return tmp_path / "calendar"


def test_a_private_suite_gives_its_visible_part_and_the_command_says_so(
    calendar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = calendar / "hidden" / "leap" / "test_leap.py"
    source = suite.read_text().replace("(2000, True), (2100, False), (2400, True)", "(2800, True), (2700, False)")
    suite.write_text(source)
    (calendar / "exercises" / "leap" / "leap.py").write_text("def is_leap(year):\n    return year % 4 == 0\n")
    monkeypatch.chdir(calendar)
    released = CliRunner().invoke(command, ["../out", "--exercise", "leap"], standalone_mode=False)
    assert released.return_value == 0
    said, written = released.output.splitlines()
    assert said == "leap: 2 criteria, 2 points; graded elsewhere: 1 criteria, 2 points"
    assert re.fullmatch(r"\.\./out: (\d+) files, \1 new, 0 changed, 0 removed\.", written)
    out = tmp_path / "out"
    assert Course.read(out / "course.yml").title == "The calendar"
    assert "suites" not in (out / "course.yml").read_text()
    assert not list(out.rglob("*hidden*"))
    exercise = read_exercise(out / "exercises" / "leap", out / "grader" / "suites")
    assert [function.elsewhere for function in exercise.functions] == [Part(1, 2), Part()]
    with Grader(exercise) as grader:
        begun = grader.grade(read_submission(exercise.folder, exercise))
        right = grader.grade(read_submission(calendar / "hidden" / "leap" / "reference", exercise))
    assert (begun.earned, begun.points, begun.elsewhere.points) == (0, 2, 2)
    assert right.complete


def test_what_breaks_without_its_hidden_part_is_not_released(calendar: Path) -> None:
    """A name can be taken in ways that no reader of source finds, so what is left is tried on the reference."""
    suite = calendar / "hidden" / "leap" / "test_leap.py"
    source = suite.read_text().replace("import pytest\n", "import sys\n\nimport pytest\n\nBOUND = 5000\n", 1)
    source = source.replace(
        "    assert student.days_in", "    assert year < sys.modules[__name__].BOUND\n    assert student.days_in"
    )
    suite.write_text(source)
    with pytest.raises(CourseError, match=r"what is left without hidden criteria is broken: .*'BOUND'") as refused:
        make_edition(Course.read(calendar / "course.yml"))
    assert refused.value.file == calendar / "hidden" / "leap"


def test_a_part_of_the_exercises_leaves_no_link_that_leads_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "calendar"
    shutil.copytree(CASES / "small_course", root)
    shutil.copytree(root / "hidden" / "leap", root / "hidden" / "years")
    shutil.copytree(root / "exercises" / "leap", root / "exercises" / "years")
    files = make_edition(Course.read(root / "course.yml"), ["years"]).files
    assert [name for name in files if name.startswith("grader/suites/")] == [
        "grader/suites/years/elsewhere.yml",
        "grader/suites/years/test_leap.py",
    ]
    assert files["grader/suites/years/elsewhere.yml"] == b"functions: {}\n"
    assert {name.split("/")[1] for name in files if name.startswith("exercises/")} == {"years"}
    assert b"(https://example.org/calendar/blob/HEAD/exercises/leap/README.md)" in files["lessons/lesson1.md"]
    assert b"(../glossary/leap-year.md)" in files["lessons/lesson1.md"]
