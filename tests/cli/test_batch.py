"""``course batch``: what is in the folder of results, what is said, and which exit code."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import grader.report
from grader.batch.run import FAULT

from .terminal import CTRL_C, in_terminal

CASES = Path(__file__).parents[1] / "cases"
SCHEMAS = Path(grader.report.__file__).parent / "schemas"
RIGHT = "def longest(text):\n    return max(text.split(), key=len)\n"
WRONG = "def longest(text):\n    return text\n"
HANGS = "import time\n\n\ndef longest(text):\n    time.sleep(3600)\n"
BROKEN_FOR_THE_WRONG = """\
from grader.authoring import criterion


@criterion("longest", points=1, title="finds the longest word")
def test_word(student):
    assert student.longest("a bc") == "bc" or 1 / 0
"""


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small course, with the current folder in it."""
    course = shutil.copytree(CASES / "course", tmp_path / "course")
    monkeypatch.chdir(course)
    return course


@pytest.fixture
def handed_in(course: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "handed in"
    for name, content in {"ada": RIGHT, "bob": WRONG}.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "words.py").write_text(content)
    (folder / "eve.pdf").write_bytes(b"%PDF-1.7")
    return folder


@pytest.fixture
def batch(run: Any, handed_in: Path, tmp_path: Path) -> Any:
    def batch(*options: str | Path) -> Any:
        return run("batch", handed_in, "--exercise", "words", "--out", tmp_path / "results", "--workers", "1", *options)

    return batch


def rows(results: Path) -> dict[str, dict[str, str]]:
    content = (results / "gradebook.csv").read_bytes().decode("utf-8-sig")
    return {row["id"]: row for row in csv.DictReader(io.StringIO(content, newline=""))}


def test_everyone_gets_a_row_and_a_report(batch: Any, tmp_path: Path) -> None:
    (tmp_path / "roster.csv").write_text("id,name,email\nada,Ada,a@x.org\nbob,Bob,b@x.org\ncyd,Cyd,c@x.org\n")
    result = batch("--roster", tmp_path / "roster.csv")
    results = tmp_path / "results"
    assert result.code == 0, result.err
    assert {file.name for file in results.iterdir()} == {
        *(f"{id}{ending}" for id in ("ada", "bob", "eve") for ending in (".json", ".html")),
        *(".batch", "gradebook.csv", "summary.md"),
    }
    table = rows(results)
    assert {id: (row["status"], row["earned"]) for id, row in table.items()} == {
        "ada": ("graded", "1"),
        "bob": ("graded", "0"),
        "cyd": ("absent", ""),
        "eve": ("not graded", ""),
    }
    for id, name in {"ada": "report", "bob": "report", "eve": "ungraded"}.items():
        schema = json.loads((SCHEMAS / f"{name}.json").read_bytes())
        Draft202012Validator(schema).validate(json.loads((results / f"{id}.json").read_bytes()))
    assert table["eve"]["reason"] in (results / "eve.html").read_text()
    assert "2 graded now, 1 not to be graded.\n" in result.out
    assert result.out.endswith(f"The gradebook is {results / 'gradebook.csv'}.\n")
    assert result.err == ""


def test_a_second_run_grades_what_has_changed_and_says_what_came_of_it(
    batch: Any, handed_in: Path, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = batch()
    results = tmp_path / "results"
    before = (results / "gradebook.csv").read_bytes()
    again = batch()
    assert (first.code, again.code, again.err) == (0, 0, "")
    assert "3 as they were.\n" in again.out
    assert (results / "gradebook.csv").read_bytes() == before
    assert not (results / "changes.csv").exists()

    (handed_in / "bob" / "words.py").write_text(RIGHT)
    (results / "adjustments.csv").write_text("id,points,note\nada,-0.5,late\n")
    shutil.move(handed_in / "eve.pdf", tmp_path)
    changed = batch()
    assert "1 graded now, 1 as they were.\n" in changed.out
    assert "bob: from 0 to 1 points (longest-word from 0 to 1)" in changed.out
    assert "ada: from 1 to 0.5 points" in changed.out
    assert "Nothing is handed in any more by eve" in changed.err
    assert (results / "eve.html").exists()
    assert "bob,changed,longest-word,0,1" in (results / "changes.csv").read_text()
    assert {id: row["total"] for id, row in rows(results).items()} == {"ada": "0.5", "bob": "1"}
    assert (results / "adjustments.csv").read_text() == "id,points,note\nada,-0.5,late\n"

    suite = course / "private" / "words" / "test_words.py"
    suite.write_text(suite.read_text().replace('("shard", "shard")', '("shard", "shard"), ("a", "a")'))
    monkeypatch.setattr("grader.cli._meter.EVERY_SECONDS", 0)
    other = batch()
    assert "The suite, or this version of course, has changed since: all 2 are graded again." in other.err
    assert "2 graded now.\n" in other.out
    # A log has a line now and then.
    assert "2 of 2\n" in other.err


def test_where_the_suite_fails_the_others_are_graded_and_it_ends_with_3(
    batch: Any, course: Path, tmp_path: Path
) -> None:
    suite = course / "private" / "words" / "test_words.py"
    suite.write_text(BROKEN_FOR_THE_WRONG)
    result = batch()
    results = tmp_path / "results"
    assert result.code == 3
    assert "1 graded now, 1 not to be graded, 1 on which the grader failed.\n" in result.out
    assert "The grader failed" in result.err
    table = rows(results)
    assert table["ada"]["earned"] == "1"
    assert (table["bob"]["status"], table["bob"]["earned"]) == ("not graded", "")
    assert f"ZeroDivisionError: division by zero ({suite}:6)" in table["bob"]["reason"]
    assert json.loads((results / "bob.json").read_text())["reason"] == FAULT
    assert "ZeroDivisionError" not in (results / "bob.html").read_text()


def test_a_suite_that_cannot_be_read_grades_nobody(batch: Any, course: Path, tmp_path: Path) -> None:
    (course / "private" / "words" / "test_words.py").write_text("def test_x(:\n")
    result = batch()
    assert result.code == 3
    assert "SyntaxError" in result.err
    assert [file.name for file in (tmp_path / "results").iterdir()] == [".batch"]


def test_files_for_platforms(batch: Any, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text("id,name,email,canvas\nada,Ada,a@x.org,11\nbob,Bob,b@x.org,12\n")
    result = batch("--roster", roster, "--export", "canvas", "--export", "moodle")
    assert result.code == 2
    assert "eve" in result.err
    assert not (tmp_path / "results").exists()
    roster.write_text(roster.read_text() + "eve,Eve,e@x.org,13\n")
    result = batch("--roster", roster, "--export", "canvas", "--export", "moodle")
    assert result.code == 0, result.err
    assert "a@x.org,1," in (tmp_path / "results" / "moodle.csv").read_text()
    assert "Ada,11" in (tmp_path / "results" / "canvas.csv").read_text()
    assert f"For Moodle: {tmp_path / 'results' / 'moodle.csv'}\n" in result.out


def test_whoever_has_points_for_a_platform_is_known_there(batch: Any, tmp_path: Path) -> None:
    """Also who handed in nothing and was given points."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "adjustments.csv").write_text("id,points,note\ncyd,1,a gift\n")
    roster = tmp_path / "roster.csv"
    roster.write_text("id,email\nada,a@x.org\nbob,b@x.org\neve,e@x.org\ncyd,\n")
    result = batch("--roster", roster, "--export", "moodle")
    assert result.code == 2
    assert "cyd" in result.err
    assert not (tmp_path / "results" / "ada.json").exists()


def test_a_scheduler_that_is_none_is_no_fault_of_the_suite(run: Any, handed_in: Path, tmp_path: Path) -> None:
    address = "http://127.0.0.1:80"
    command = ["batch", handed_in, "--exercise", "words", "--out", tmp_path / "results", "--scheduler", address]
    result = run(*command)
    assert result.code == 2
    assert result.err.startswith(f"Error: no Dask scheduler can be reached at {address}")
    result = run(*command, "--workers", "1")
    assert result.code == 2
    assert "--workers is about this machine" in result.err


def test_results_apart_from_what_was_handed_in(run: Any, handed_in: Path, tmp_path: Path) -> None:
    for out in (handed_in, handed_in / "results", tmp_path):
        result = run("batch", handed_in, "--exercise", "words", "--out", out)
        assert result.code == 2
        assert "results need a folder of their own" in result.err


OURS = {"results/.batch/lock": ""}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"results/thesis.md": "# One\n"}, "has files in it that are not results"),
        ({"results/adjustments.csv": "id,points,note\nzoe,1,\n"}, "adjustments.csv:2: nobody has the id 'zoe'"),
        ({"results/.batch/exercise.json": '{"exercise": "pieces"}'}, "holds results of pieces, not of words"),
        (OURS | {"results/gradebook.csv": "id\n"}, "gradebook.csv, line 1: "),
        (OURS | {"results/ada.json/file": ""}, "ada.json cannot be written: Is a directory. What is graded so far is"),
        ({"results": ""}, "results cannot be used for results: Not a directory."),
        ({"roster.csv": "name\nAda\n"}, "roster.csv:1"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_stops_a_run_is_said_in_a_sentence(batch: Any, tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, content in {"roster.csv": "id\nada\nbob\neve\n", **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    result = batch("--roster", tmp_path / "roster.csv")
    assert result.code == 2
    assert said in result.err
    assert "Traceback" not in result.err
    assert result.err.endswith(".\n")


def test_a_second_run_at_the_same_time_is_refused(batch: Any, tmp_path: Path) -> None:
    (tmp_path / "results" / ".batch").mkdir(parents=True)
    with (tmp_path / "results" / ".batch" / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = batch()
    assert result.code == 2
    assert "another run writes into" in result.err


def test_what_is_not_there(run: Any, handed_in: Path, tmp_path: Path) -> None:
    assert run("batch", tmp_path / "nowhere", "--exercise", "words", "--out", tmp_path / "results").code == 2
    result = run("batch", handed_in, "--exercise", "word", "--out", tmp_path / "results")
    assert result.code == 2
    assert "Did you mean words?" in result.err
    assert run("batch", handed_in, "--exercise", "words").code == 2


def test_a_gradebook_of_the_learners_edition_is_not_whole(batch: Any, course: Path) -> None:
    manifest = course / "exercises" / "words" / "exercise.yml"
    manifest.write_text(manifest.read_text().replace("points: 1", "points: 3.5"))
    elsewhere = course / "private" / "words" / "elsewhere.yml"
    elsewhere.write_text("functions:\n  longest: {criteria: 2, points: 2.5}\n")
    result = batch()
    assert result.code == 0, result.err
    assert "This is the learners' edition: 2.5 points are graded elsewhere, no row has them.\n" in result.err


def test_ctrl_c_ends_at_once_and_the_same_command_goes_on(
    batch: Any, handed_in: Path, course: Path, tmp_path: Path
) -> None:
    manifest = course / "exercises" / "words" / "exercise.yml"
    manifest.write_text(manifest.read_text() + "limits: {wall_seconds: 300, total_seconds: 300}\n")
    (handed_in / "bob" / "words.py").write_text(HANGS)
    arguments = ["batch", str(handed_in), "--exercise", "words", "--out", str(tmp_path / "results"), "--workers", "1"]
    code, shown = in_terminal(arguments, [("2 of 3", CTRL_C.decode())], folder=course)
    assert code == 130
    assert "Stopped. What is graded is kept: the same command goes on from there.\n" in shown
    assert "Traceback" not in shown
    assert not (tmp_path / "results" / "gradebook.csv").exists()
    (handed_in / "bob" / "words.py").write_text(RIGHT)
    result = batch()
    assert result.code == 0
    assert "1 graded now, 2 as they were.\n" in result.out
