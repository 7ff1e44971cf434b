"""Grades a submission: a trusted process with the suite, a worker with the learner's code, the wire between them."""

from __future__ import annotations

from .process import DEFAULT_SEED, Grader, GraderFault
from .submission import Submission, SubmissionError, read_submission

__all__ = ["DEFAULT_SEED", "Grader", "GraderFault", "Submission", "SubmissionError", "read_submission"]
