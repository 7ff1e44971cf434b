"""An exercise and the grading of it as plain data, for a machine where the course's files are not."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any

import grader
from grader.course import Exercise
from grader.course.exercise import read_exercise
from grader.results import to_plain
from grader.runner import GraderFault, Submission

from .engine import Job
from .local import LocalEngine

Plain = dict[str, Any]


def pack(exercise: Exercise, *, strict: bool = False) -> Plain:
    """What a machine needs to grade an exercise: the bytes of its files, and where they are here, for messages."""
    if exercise.suite is None:
        raise GraderFault(f"there is no suite for {exercise.id} here: it is graded elsewhere", str(exercise.manifest))
    return {
        "version": grader.__version__,
        "strict": strict,
        "exercise": exercise.id,
        "places": {"exercises": str(exercise.folder), "suites": str(exercise.suite)},
        "files": {name: path.read_bytes() for name, path in _files(exercise)},
    }


def _files(exercise: Exercise) -> Iterator[tuple[str, Path]]:
    for path in (exercise.manifest, *(exercise.folder / name for name in exercise.given)):
        yield f"exercises/{exercise.id}/{path.relative_to(exercise.folder)}", path
    for name, path in exercise.suite_files().items():
        yield f"suites/{exercise.id}/{name}", path


def plain_job(job: Job) -> Plain:
    """A job as plain data."""
    submission = job.submission
    return {
        "id": job.id,
        "files": dict(submission.files),
        "homes": dict(submission.homes),
        "notes": list(submission.notes),
        "seed": job.seed,
    }


class Kit:
    """What ``pack`` made, with a warm engine, in a private folder once it is used, until nobody holds the kit.

    Copies travel as what the kit was made of.
    """

    def __init__(self, contents: Plain) -> None:
        self._contents = contents
        self._lock = Lock()
        self._opened: tuple[LocalEngine, Path] | None = None

    def __reduce__(self) -> tuple[type[Kit], tuple[Plain]]:
        return Kit, (self._contents,)

    def planned(self, folder: Path) -> Plain:
        """The criteria of the suite, or its fault. ``folder`` is where the kit may make a folder of its own."""
        return self._answer(folder, lambda engine: {"planned": [asdict(each) for each in engine.planned()]})

    def grade(self, job: Plain, folder: Path) -> Plain:
        """The grade of one job or the reason why there is none, or the fault of the suite."""
        submission = Submission(job["files"], job["homes"], tuple(job["notes"]))

        def grade(engine: LocalEngine) -> Plain:
            (done,) = engine.grade([Job(job["id"], submission, job["seed"])])
            return {"grade": done.grade and to_plain(done.grade), "reason": done.reason}

        return self._answer(folder, grade)

    def _answer(self, folder: Path, ask: Callable[[LocalEngine], Plain]) -> Plain:
        if self._contents["version"] != grader.__version__:
            raise RuntimeError(f"this is version {grader.__version__}, not {self._contents['version']}")
        try:
            engine, own = self._open(folder)
            answer = ask(engine)
        except OSError as error:  # Such as no space, which is not to be taken for a lost connection.
            raise RuntimeError(str(error)) from None
        except GraderFault as fault:
            if fault.file is None:  # Nothing in the suite, so perhaps something of this machine.
                raise RuntimeError(fault.message) from None
            return {"fault": [fault.message, self._as_packed(fault.file, own), fault.line, fault.detail]}
        if answer.get("reason"):
            answer["reason"] = self._as_packed(answer["reason"], own)
        return answer

    def _open(self, folder: Path) -> tuple[LocalEngine, Path]:
        with self._lock:
            if self._opened is None:
                own = Path(tempfile.mkdtemp(prefix="course-", dir=folder))
                try:
                    engine = self._unpack(own)
                except BaseException:
                    shutil.rmtree(own, ignore_errors=True)
                    raise
                weakref.finalize(self, _close, engine, own)
                self._opened = engine, own
            return self._opened

    def _unpack(self, folder: Path) -> LocalEngine:
        files: Mapping[str, bytes] = self._contents["files"]
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        exercise = read_exercise(folder / "exercises" / self._contents["exercise"], folder / "suites")
        return LocalEngine(exercise, workers=1, strict=self._contents["strict"])

    def _as_packed(self, text: str, folder: Path) -> str:
        """Name places as they are named where the kit was packed."""
        for kind, place in self._contents["places"].items():
            text = text.replace(str(folder / kind / self._contents["exercise"]), place)
        return text


def _close(engine: LocalEngine, folder: Path) -> None:
    engine.close()
    shutil.rmtree(folder, ignore_errors=True)
