"""Every hostile submission, graded for real: it gains nothing, gets at nothing and leaves nothing behind."""

from __future__ import annotations

import shutil
import sys
from ast import literal_eval
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pytest

from grader.course import Course, Exercise
from grader.results import DEFAULT_SEED, Grade
from grader.runner import Grader, Submission, read_submission
from grader.runner.fences import survey

from . import scene
from .header import Header, read_header
from .scene import Scene

HERE = Path(__file__).parent
FILES = sorted((HERE / "submissions").rglob("*.py"))
# Of the processor and by the clock, for one call: little, so that what loops is soon over.
SECONDS = {"vault": (0.5, 2.0), "lesson10": (2.0, 8.0)}
PATIENCE_SECONDS = 5.0

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


class Bench:
    """Grades submissions to one exercise with one grader, and with a new one after a fault."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self._grader: Grader | None = None
        assert exercise.suite is not None
        self.solution = read_submission(exercise.suite / "reference", exercise)
        self.reference = self.grade(self.solution)
        self._first = exercise.functions[0].name
        self._sample = self.grade(self.solution, only=[self._first])

    def grade(self, submission: Submission, seed: int = DEFAULT_SEED, only: Sequence[str] = ()) -> Grade:
        if self._grader is None:
            self._grader = Grader(self.exercise)
        return self._grader.grade(submission, seed=seed, only=only)

    @cached_property
    def seen(self) -> str:
        """The answer to a random input that a report of the usual seed shows to whoever does not know it."""
        empty = {**self.solution.files, "decode.py": b"def decode(codes):\n    return 'Hi'\n"}
        criteria = self.grade(replace(self.solution, files=empty), only=["decode"]).criteria
        shown = next(criterion.expected for criterion in criteria if criterion.id == "decode-random")
        assert shown is not None
        return str(literal_eval(shown))

    def grades_as_before(self) -> bool:
        """Whether the reference, or its first function for the sake of speed, gets what it got at first."""
        return scene.alike(self.grade(self.solution, only=[self._first]), self._sample)

    def warm(self) -> None:
        """Have a grader that is up, also after a fault."""
        if self._grader is None:
            self.grades_as_before()

    def said(self) -> str:
        """What the grader's own processes printed."""
        assert self._grader is not None
        log = self._grader._processes.log
        log.seek(0)
        return log.read().decode("utf-8", "replace")

    def close(self) -> None:
        if self._grader is not None:
            self._grader.close()
            self._grader = None


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    root = tmp_path_factory.mktemp("scene")
    shutil.copytree(HERE / "course", root / "course", ignore=shutil.ignore_patterns("__pycache__"))
    with scene.scene(root) as made, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET", scene.ENVIRONMENT)
        patch.setenv("HOME", str(root / "home"))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        patch.setattr("grader.runner.process.PATIENCE_SECONDS", PATIENCE_SECONDS)
        patch.chdir(root / "here")
        yield made


@pytest.fixture(scope="module")
def benches(stage: Scene) -> Iterator[dict[str, Bench]]:
    exercises = Course.find(stage.course).exercise("vault"), Course.find(HERE.parents[1]).exercise("lesson10")
    made = {}
    for exercise in exercises:
        seconds, wall = SECONDS[exercise.id]
        limits = replace(exercise.limits, seconds=seconds, wall_seconds=wall)
        made[exercise.id] = Bench(replace(exercise, limits=limits))
    yield made
    for bench in made.values():
        bench.close()


@pytest.fixture(scope="module")
def not_here() -> frozenset[str]:
    """The fences that this machine cannot have."""
    return frozenset(missing.name for missing in survey(strict=False)[1])


def submitted(path: Path, header: Header, bench: Bench, stage: Scene) -> Submission:
    """The reference with a hostile file in the place of one of its own."""
    text = stage.placed(path.read_text())
    content = (text.replace("@SEEN@", bench.seen) if "@SEEN@" in text else text).encode()
    if header.replaces == "all":
        name = bench.exercise.functions[0].file
        homes = dict.fromkeys((function.name for function in bench.exercise.functions), name)
        return Submission({name: content}, homes)
    assert header.replaces in bench.solution.files, f"there is no {header.replaces} to replace"
    return replace(bench.solution, files={**bench.solution.files, header.replaces: content})


def parameters() -> Iterator[object]:
    for path in FILES:
        defect = read_header(path.read_text()).defect
        marks = [] if defect is None else [pytest.mark.xfail(strict=True, reason=defect)]
        yield pytest.param(path, id=f"{path.parent.name}/{path.stem}", marks=marks)


@pytest.mark.parametrize("path", list(parameters()))
def test_it_earns_what_is_right_and_does_no_harm(
    path: Path, benches: dict[str, Bench], stage: Scene, not_here: frozenset[str]
) -> None:
    header = read_header(path.read_text())
    bench = benches[path.parent.name]
    if missing := sorted(set(header.needs) & set(not_here)):
        pytest.skip(f"contained by {', '.join(missing)}, which this machine has not")
    bench.warm()
    before = scene.look_when_settled(stage)
    try:
        grade = bench.grade(submitted(path, header, bench, stage), header.seed)
        problems = [] if bench.grades_as_before() else ["the reference is graded otherwise after it"]
        problems += scene.faults(stage, before, header, grade, bench.reference)
        if said := bench.said():
            problems.append(f"the grader's processes said: {said}")
        assert not problems, "\n".join(problems)
    except BaseException:
        bench.close()
        scene.end(before)
        raise


def test_there_are_many() -> None:
    assert len(FILES) >= 75
