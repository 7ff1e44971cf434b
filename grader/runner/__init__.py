"""Grades a submission: a trusted process with the suite, a worker with the learner's code, the wire between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .process import Grader, GraderFault
    from .submission import Submission, SubmissionError, read_submission

__all__ = ["Grader", "GraderFault", "Submission", "SubmissionError", "read_submission"]


def __getattr__(name: str) -> Any:
    # Imported when asked for: a worker's process must not load what grades it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import process, submission

    return getattr(submission if "ubmission" in name else process, name)
