"""A small course, a grader that only looks at the text, and a way to run ``course`` in this process."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

import pytest

import grader.cli
import grader.runner
from grader.course import Exercise
from grader.results import Cases, Criterion, Function, Grade, Next, Status
from grader.runner.submission import Submission

STUB = b"def {name}():\n    raise NotImplementedError\n"
FUNCTIONS = ("shard", "gather")
MANIFEST = """\
title: Two functions
lesson: lesson9
summary: Two functions.
given: [layers.py]
functions:
  - {name: shard, file: shard.py, points: 2, summary: One., hints: [First., Second.]}
  - {name: gather, file: gather.py, points: 1.5, summary: Two., hints: [Only.]}
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]


class FakeGrader:
    """Gives a function its points when its file says ``return``."""

    fault: BaseException | None = None
    faulty = False
    seeds: ClassVar[list[int]] = []

    def __init__(self, exercise: Exercise, processes: None, **fences: bool) -> None:
        self.exercise = exercise

    def __enter__(self) -> FakeGrader:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def grade(self, submission: Submission, *, seed: int, only: Collection[str], progress: Any, path: str) -> Grade:
        if self.fault is not None:
            raise self.fault
        self.seeds.append(seed)
        chosen = [function for function in self.exercise.functions if function.name in only or not only]
        criteria = []
        for function in chosen:
            source = submission.files.get(submission.homes.get(function.name, ""), b"")
            status: Status = "error" if self.faulty else "passed" if b"return" in source else "todo"
            earned = function.points if status == "passed" else Decimal(0)
            one = Cases(int(status == "passed"), 1)
            criteria.append(
                Criterion(f"{function.name}-works", function.name, "works", status, function.points, earned, one)
            )
        functions = tuple(
            Function(found.function, f"{found.function}.py", found.points, found.earned, {found.status: 1})
            for found in criteria
        )
        todo = next((found for found in criteria if found.status != "passed"), None)
        return Grade(
            exercise=self.exercise.id,
            title=self.exercise.title,
            points=sum((found.points for found in criteria), Decimal(0)),
            earned=sum((found.earned for found in criteria), Decimal(0)),
            seed=seed,
            seconds=0.01,
            versions={},
            fences=(),
            functions=functions,
            criteria=tuple(criteria),
            notes=submission.notes,
            only=tuple(only),
            next=None
            if todo is None
            else Next(todo.function, todo.id, f"write {todo.function}", f"course grade {path} --only {todo.function}"),
        )


class FakeFault(Exception):
    """What ``grader.runner.GraderFault`` offers."""

    def __init__(self, message: str, file: str | None, line: int | None, detail: str | None) -> None:
        super().__init__(message)
        self.message, self.file, self.line, self.detail = message, file, line, detail


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "sharded-training"


@pytest.fixture(autouse=True)
def progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the progress of this test is kept."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "sharded-training" / "progress.json"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeGrader]:
    """A fresh ``FakeGrader`` in the place of the real one."""

    class Fresh(FakeGrader):
        seeds: ClassVar[list[int]] = []

    monkeypatch.setattr("grader.cli.grade.Processes", contextlib.nullcontext)
    monkeypatch.setattr(grader.runner, "Grader", Fresh, raising=False)
    monkeypatch.setattr(grader.runner, "GraderFault", FakeFault, raising=False)
    return Fresh


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: type[FakeGrader]) -> Path:
    """A course, with the current folder in it."""
    root = tmp_path / "course"
    folder = root / "exercises" / "lesson9"
    (folder / ".pristine").mkdir(parents=True)
    (root / "suites" / "lesson9").mkdir(parents=True)
    (root / "course.yml").write_text("schema: 1\ntitle: Small\ndescription: Small.\nsuites: suites\n")
    (folder / "exercise.yml").write_text(MANIFEST)
    (folder / "README.md").write_text("# Two functions\n")
    (folder / "layers.py").write_text("GIVEN = True\n")
    for name in FUNCTIONS:
        stub = STUB.replace(b"{name}", name.encode())
        (folder / f"{name}.py").write_bytes(stub)
        (folder / ".pristine" / f"{name}.py").write_bytes(stub)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def work(root: Path) -> Path:
    """The exercise's own folder, with the first function written."""
    folder = root / "exercises" / "lesson9"
    (folder / "shard.py").write_text("def shard():\n    return 1\n")
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``course`` with arguments, through ``main``."""

    def run(*arguments: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["course", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            grader.cli.main()
        code = ended.value.code
        out, err = capsys.readouterr()
        return Result(code if isinstance(code, int) else int(code is not None), out, err)

    return run
