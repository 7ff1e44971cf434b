"""What grades many submissions: the shape that every engine has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from grader.results import Grade
from grader.runner import GraderFault
from grader.runner.submission import Submission


@dataclass(frozen=True, slots=True)
class Job:
    """One submission to grade."""

    id: str
    submission: Submission
    seed: int


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a job: its grade, or the reason why the grader, not the submission, gave none."""

    id: str
    grade: Grade | None
    reason: str | None = None


class EngineError(GraderFault):
    """An engine cannot be had, or was lost, which whoever runs it can mend; the suite is not at fault."""


def not_graded(job: Job, fault: GraderFault) -> Done:
    """What comes of a job on which the grader failed again.

    >>> from grader.runner import Submission
    >>> not_graded(Job("ada", Submission({}, {}), 1), GraderFault("no answer", "suites/a/test_a.py", 3)).reason
    'the grader failed twice: no answer (suites/a/test_a.py:3)'
    """
    place = ":".join(str(part) for part in (fault.file, fault.line) if part is not None)
    return Done(job.id, None, f"the grader failed twice: {fault.message}" + (f" ({place})" if place else ""))


class Engine(Protocol):
    """Grades jobs, in whatever order they are done.

    Jobs are taken from ``jobs`` as workers get free, so that there are never many in memory. A job that the grader
    itself fails on is tried once more, in new processes, before there is a reason. GraderFault if the suite is at
    fault, so that no job can be graded.
    """

    def grade(self, jobs: Iterable[Job]) -> Iterator[Done]:
        """Yield one Done for each of ``jobs``."""
        ...
