"""Grading from the outside: starts the trusted process and the zygote, hands over submissions, keeps a deadline."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from threading import Lock
from types import TracebackType
from typing import Any

import grader
from grader.course import Exercise
from grader.course.exercise import PRISTINE
from grader.results import (
    DEFAULT_SEED,
    Criterion,
    Elsewhere,
    Function,
    Grade,
    MissingFence,
    Next,
    Place,
    Planned,
    criterion_from_plain,
)

from .channel import Channel, Message, connect, is_closed
from .start import Processes, kill_group
from .submission import Submission

# The function whose criterion has been judged, how many have been, of how many.
Progress = Callable[[str, int, int], None]
# Longer than the trusted process waits for its parts.
PATIENCE_SECONDS = 90.0


class GraderFault(Exception):
    """The grader or the suite is at fault: there is no score. ``file`` and ``line`` are the author's."""

    def __init__(
        self, message: str, file: str | None = None, line: int | None = None, detail: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.detail = detail


class Grader:
    """Grades submissions to one exercise; close it, or use ``with``.

    Its processes start at once, if none were started before, and stay warm; several threads may have it grade at a
    time. ``strict`` fences workers in further, where this machine can; with ``require_fences`` there is no grade where
    it cannot.
    """

    def __init__(
        self,
        exercise: Exercise,
        processes: Processes | None = None,
        *,
        strict: bool = False,
        require_fences: bool = False,
    ) -> None:
        if exercise.suite is None:
            raise GraderFault(
                f"there is no suite for {exercise.id} here: it is graded elsewhere", str(exercise.manifest)
            )
        self._exercise = exercise
        self._processes = processes or Processes()
        self._lock = Lock()
        # Forks of the trusted process that lead groups of their own, as long as one of them is waited for.
        self._forks: set[int] = set()
        self._planned: tuple[Planned, ...] = ()
        self._versions: Mapping[str, str] = {}
        self._processes.in_use = True
        self._suite = Channel(self._processes.channel)
        with contextlib.suppress(BrokenPipeError):  # The answer that does not come says so.
            self._suite.send("exercise", **_plain(exercise), strict=strict, require_fences=require_fences)

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes, also in the middle of a submission: who waits for its grade gets a GraderFault."""
        for process in tuple(self._forks):
            kill_group(process)
        self._processes.close()

    def is_alive(self) -> bool:
        """Whether its processes run, without which it will grade nothing more."""
        # Who is ending has closed its connection before it can be waited for.
        return not is_closed(self._processes.channel) and self._processes.zygote.poll() is None

    def planned(self) -> tuple[Planned, ...]:
        """The criteria of the suite, in their order, once it is collected."""
        with self._lock:
            if not self._planned:
                criteria = self._receive(self._suite, self._processes.trusted.pid)["criteria"]
                self._planned = tuple(Planned(**each | {"points": Decimal(each["points"])}) for each in criteria)
            return self._planned

    def grade(
        self,
        submission: Submission,
        *,
        seed: int = DEFAULT_SEED,
        only: Collection[str] = (),
        known: Collection[str] = (),
        progress: Progress | None = None,
        path: str | None = None,
    ) -> Grade:
        """Grade one submission. ``only`` limits it to some functions; ``path`` is how the learner named it.

        With ``only``, what is needed of the functions in ``known`` counts as earned and is not graded.
        """
        start = time.perf_counter()
        self.planned()
        request = {
            "files": {name: b64encode(content).decode() for name, content in submission.files.items()},
            "homes": dict(submission.homes),
            "seed": seed,
            "only": sorted(only),
            "known": sorted(known),
            "progress": progress is not None,
        }
        done = 0
        with self._connected() as channel:
            with contextlib.suppress(BrokenPipeError):  # The answer that does not come says so.
                channel.send("grade", **request)
            # While others work on it.
            self._versions = self._versions or _versions(self._exercise)
            process = self._receive(channel, self._processes.trusted.pid)["process"]
            self._forks.add(process)
            try:
                while (message := self._receive(channel, process))["event"] != "done":
                    if message["event"] == "judged" and progress is not None:
                        done += 1
                        progress(message["function"], done, message["total"])
            finally:
                self._forks.discard(process)
        criteria = list(map(criterion_from_plain, message["criteria"]))
        for criterion in criteria:
            if criterion.status == "error":
                where = criterion.where
                raise GraderFault(
                    f"{criterion.id}: {criterion.message}", where.file if where else None, where.line if where else None
                )
        functions = _functions(self._exercise, criteria, only)
        parts = [each.elsewhere for each in self._exercise.functions if not only or each.name in only]
        return Grade(
            exercise=self._exercise.id,
            title=self._exercise.title,
            points=sum((function.points for function in functions), Decimal(0)),
            earned=sum((function.earned for function in functions), Decimal(0)),
            seed=seed,
            seconds=round(time.perf_counter() - start, 3),
            versions=self._versions,
            fences=tuple(message["fences"]),
            missing_fences=tuple(MissingFence(**each) for each in message["missing_fences"]),
            functions=functions,
            criteria=tuple(criteria),
            notes=submission.notes,
            only=tuple(sorted(only)),
            next=_next(self._exercise, criteria, path or f"exercises/{self._exercise.id}"),
            elsewhere=Elsewhere(sum(part.criteria for part in parts), sum((part.points for part in parts), Decimal(0))),
        )

    # Messages

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Channel]:
        """A channel to a fork of the trusted process."""
        try:
            channel = connect(self._processes.channel)
        except OSError:
            raise self._ended() from None
        with contextlib.closing(channel):
            yield channel

    def _receive(self, channel: Channel, process: int) -> Message:
        """The next message of ``process``, which is killed, with what it forked, if none comes for too long."""
        try:
            message = channel.receive(PATIENCE_SECONDS + self._exercise.limits.wall_seconds)
        except TimeoutError:
            kill_group(process)
            raise GraderFault("the trusted process did not answer and was stopped", detail=self._noise()) from None
        if message is None:
            raise self._ended()
        if message["event"] == "fault":
            raise GraderFault(message["message"], message["file"], message["line"], message["detail"])
        return message

    def _ended(self) -> GraderFault:
        return GraderFault("the trusted process ended", detail=self._noise())

    def _noise(self) -> str | None:
        """What the processes printed, which is nothing if all is well."""
        with contextlib.suppress(ValueError):  # Closed meanwhile, where another thread found them dead.
            return os.pread(self._processes.log.fileno(), 2**16, 0).decode("utf-8", "replace") or None
        return None


def _plain(exercise: Exercise) -> dict[str, Any]:
    """What the trusted process must know of an exercise."""
    return {
        "suite": str(exercise.suite),
        "manifest": str(exercise.manifest),
        "pristine": str(exercise.folder / PRISTINE),
        "given": {name: str(exercise.folder / name) for name in exercise.given},
        "imports": list(exercise.imports),
        "limits": asdict(exercise.limits),
        "functions": [
            {"name": function.name, "points": str(function.points_here), "line": function.line}
            for function in exercise.functions
        ],
    }


def _functions(exercise: Exercise, criteria: Sequence[Criterion], only: Collection[str]) -> tuple[Function, ...]:
    return tuple(
        Function(
            spec.name,
            spec.file,
            spec.points_here,
            sum((each.earned for each in criteria if each.function == spec.name), Decimal(0)),
            dict(Counter(each.status for each in criteria if each.function == spec.name)),
        )
        for spec in exercise.functions
        if not only or spec.name in only
    )


def _next(exercise: Exercise, criteria: Sequence[Criterion], path: str) -> Next | None:
    """The one next step: the first criterion that failed, else the first function not written."""
    for statuses in (("failed", "timeout"), ("todo",)):
        for criterion in criteria:
            if criterion.status in statuses:
                spec = next(each for each in exercise.functions if each.name == criterion.function)
                todo = criterion.status == "todo"
                fix = f"fix {spec.name}, {criterion.title} ({_place(criterion.where, spec.file)})"
                text = f"write {spec.name} in {spec.file}" if todo else fix
                return Next(spec.name, criterion.id, text, f"course grade {path} --only {spec.name}")
    return _unblock(exercise, criteria, path)


def _unblock(exercise: Exercise, criteria: Sequence[Criterion], path: str) -> Next | None:
    """Where everything shown waits for a function that is not: that function."""
    for criterion in criteria:
        for spec in exercise.functions:
            if any(need.startswith(f"{spec.name}-") for need in criterion.blocked_by):
                text = f"write or fix {spec.name} in {spec.file}, which {criterion.function} builds on"
                return Next(spec.name, criterion.id, text, f"course grade {path} --only {spec.name}")
    return None


def _place(where: Place | None, file: str) -> str:
    """The line to look at, and the function's own file where that line is in another."""
    if where is None:
        return file
    line = f"{where.file}, line {where.line}"
    return line if where.file == file else f"{file}; see {line}"


def _versions(exercise: Exercise) -> dict[str, str]:
    from importlib.metadata import version  # a fiftieth of a second, which the other processes need not wait for

    return {
        "course": grader.__version__,
        "suite": f"{exercise.id}-{_suite_digest(exercise)}",
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "pytest": version("pytest"),
    }


def _suite_digest(exercise: Exercise) -> str:
    """Tells two states of a suite apart."""
    assert exercise.suite is not None
    digest = hashlib.sha256()
    for path in sorted(exercise.suite.glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:8]
