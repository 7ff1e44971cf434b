"""A run over a class: what it grades, what it keeps, and a row for everyone."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader.batch import Collected, Done, HandedIn, Job
from grader.batch.local import LocalEngine
from grader.batch.run import FAULT, MissingRows, Run, Step
from grader.batch.store import Results, open_results
from grader.course import Course, Exercise
from grader.gradebook import Adjustment, Person
from grader.results import Grade
from grader.runner import GraderFault

from .conftest import CASES

RIGHT = "def longest(text):\n    return max(text.split(), key=len)\n"
WRONG = "def longest(text):\n    return text\n"


class Counting:
    """The real engine, which notes what it is given, and leaves out or fails on whom it is told to."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine
        self.given: list[str] = []
        self.loses: set[str] = set()
        self.fails: set[str] = set()

    def grade(self, jobs: Iterable[Job]) -> Iterator[Done]:
        for done in self._engine.grade(self._noted(jobs)):
            if done.id in self.fails:
                yield Done(done.id, None, "the grader failed twice: no answer")
            elif done.id not in self.loses:
                yield done

    def _noted(self, jobs: Iterable[Job]) -> Iterator[Job]:
        for job in jobs:
            self.given.append(job.id)
            yield job


@pytest.fixture(scope="module")
def warm(words: Exercise) -> Iterator[LocalEngine]:
    with LocalEngine(words, workers=1) as engine:
        yield engine


@pytest.fixture
def engine(warm: LocalEngine) -> Counting:
    return Counting(warm)


@pytest.fixture
def collected(tmp_path: Path) -> Collected:
    """Three learners, one of whom handed in what nobody can grade, and one who is absent."""
    for name, content in {"ada.py": RIGHT, "bob.py": WRONG, "eve.pdf": "%PDF"}.items():
        (tmp_path / name).write_text(content)
    return Collected(
        (
            HandedIn("ada", "ada.py", tmp_path / "ada.py", ("the last of 2",), Person("ada", {"name": "Ada"})),
            HandedIn("bob", "bob.py", tmp_path / "bob.py"),
            HandedIn("eve", "eve.pdf", tmp_path / "eve.pdf"),
        ),
        (Person("cyd", {"name": "Cyd"}),),
    )


def reports(id: str, shown: Grade | str) -> Mapping[str, str]:
    return {".json": shown if isinstance(shown, str) else f"{shown.earned} {shown.notes}"}


@contextmanager
def run(words: Exercise, collected: Collected, folder: Path, seed: int = 1) -> Iterator[tuple[Run, Results]]:
    ids = [each.id for each in (*collected.handed_in, *collected.absent)]
    with open_results(folder / "results", words.id, ids) as results:
        yield Run(words, collected, results, reports, seed), results


def test_everyone_has_a_row_and_a_report(
    words: Exercise, collected: Collected, engine: Counting, tmp_path: Path
) -> None:
    steps: list[Step] = []
    with run(words, collected, tmp_path) as (first, _):
        first.grade(engine, steps.append)
        ada, bob, cyd, eve = first.rows({"cyd": (Adjustment(Decimal(1), "excused"),)})
    assert (ada.id, ada.source, ada.earned, ada.notes) == ("ada", "ada.py", 1, ("the last of 2",))
    assert ada.person is collected.handed_in[0].person
    assert (bob.earned, bob.total, bob.reason) == (0, 0, None)
    assert (cyd.source, cyd.scores, cyd.reason, cyd.total) == (None, None, None, 1)
    assert (eve.source, eve.scores) == ("eve.pdf", None)
    assert eve.reason is not None
    assert (tmp_path / "results" / "ada.json").read_text() == "1 ('the last of 2',)"
    assert (tmp_path / "results" / "eve.json").read_text() == eve.reason
    assert first.step == steps[-1] == Step(3, graded=2, refused=1)
    assert first.step.done == 3


def test_only_what_has_changed_is_graded_again(
    words: Exercise, collected: Collected, engine: Counting, tmp_path: Path
) -> None:
    with run(words, collected, tmp_path) as (first, _):
        first.grade(engine, lambda step: None)
        rows = first.rows({})
    with run(words, collected, tmp_path) as (again, _):
        again.grade(engine, lambda step: None)
        assert again.rows({}) == rows
        assert again.step == Step(3, unchanged=3)
    assert sorted(engine.given) == ["ada", "bob"]
    collected.handed_in[1].path.write_text(RIGHT)
    with run(words, collected, tmp_path) as (changed, _):
        assert changed.outdated() == 0
        changed.grade(engine, lambda step: None)
        assert [row.earned for row in changed.rows({})] == [1, 1, None, None]
    assert engine.given[2:] == ["bob"]
    with run(words, collected, tmp_path, seed=2) as (seeded, _):
        seeded.grade(engine, lambda step: None)
    assert sorted(engine.given[3:]) == ["ada", "bob"]


def test_where_the_grader_failed_the_row_says_why_and_the_next_run_tries_again(
    words: Exercise, collected: Collected, engine: Counting, tmp_path: Path
) -> None:
    engine.fails = {"bob"}
    with run(words, collected, tmp_path) as (first, _):
        first.grade(engine, lambda step: None)
        bob = first.rows({})[1]
        assert first.step == Step(3, graded=1, refused=1, faults=1)
    assert (bob.scores, bob.reason) == (None, "the grader failed twice: no answer")
    assert (tmp_path / "results" / "bob.json").read_text() == FAULT
    engine.fails = set()
    with run(words, collected, tmp_path) as (again, _):
        again.grade(engine, lambda step: None)
        assert again.rows({})[1].earned == 0
        assert again.step == Step(3, graded=1, unchanged=2)


def test_what_no_one_foresaw_costs_the_others_nothing(
    words: Exercise, collected: Collected, engine: Counting, tmp_path: Path
) -> None:
    """A name that no system call takes, and a report that cannot be made."""
    ada, bob, eve = collected.handed_in
    odd = replace(collected, handed_in=(ada, bob, replace(eve, path=Path("\0"))))

    def fails_on_bob(id: str, shown: Grade | str) -> Mapping[str, str]:
        if id == "bob" and isinstance(shown, Grade):
            raise ZeroDivisionError("no")
        return reports(id, shown)

    with open_results(tmp_path / "results", words.id, ("ada", "bob", "cyd", "eve")) as results:
        first = Run(words, odd, results, fails_on_bob, 1)
        first.grade(engine, lambda step: None)
        rows = {row.id: row for row in first.rows({})}
    assert rows["ada"].earned == 1
    assert rows["bob"].reason == "the grader failed: ZeroDivisionError: no"
    assert rows["eve"].reason == "the grader failed: ValueError: embedded null byte"
    assert (tmp_path / "results" / "bob.json").read_text() == FAULT
    assert first.step == Step(3, graded=1, faults=2)


def test_a_result_that_never_came_is_named(
    words: Exercise, collected: Collected, engine: Counting, tmp_path: Path
) -> None:
    engine.loses = {"ada", "bob"}
    with run(words, collected, tmp_path) as (first, _):
        first.grade(engine, lambda step: None)
        with pytest.raises(MissingRows) as caught:
            first.rows({})
    assert caught.value.ids == ["ada", "bob"]


def test_of_an_exercise_that_changes_meanwhile_nothing_is_kept(
    collected: Collected, engine: Counting, tmp_path: Path
) -> None:
    course = shutil.copytree(CASES / "course", tmp_path / "course")
    changing = Course.find(course).exercise("words")
    suite = course / "private" / "words" / "test_words.py"
    before = suite.read_text()
    with run(changing, collected, tmp_path) as (first, _):  # noqa: SIM117
        with pytest.raises(GraderFault, match="changed while the class was graded: run the same command again"):
            first.grade(engine, lambda step: suite.write_text(f"{before}# Meanwhile\n") and None)
    suite.write_text(before)
    with run(changing, collected, tmp_path) as (again, _):
        again.grade(engine, lambda step: None)
        assert again.step == Step(3, graded=2, unchanged=1)
