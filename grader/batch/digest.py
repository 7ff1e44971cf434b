"""What a result depends on, as digests: while they are the same, nothing is graded again."""

from __future__ import annotations

from hashlib import sha256

import grader
from grader.course import Exercise
from grader.runner import GraderFault, Submission


def exercise_digest(exercise: Exercise) -> str:
    """Stands for the exercise as it is now, suite, manifest and given files, and for the version that grades it.

    GraderFault if one of its files cannot be read.
    """
    files = [
        *(("suite", name, file) for name, file in exercise.suite_files().items()),
        *(("given", name, exercise.folder / name) for name in exercise.given),
        ("manifest", "", exercise.manifest),
    ]
    try:
        return _digest((grader.__version__, [(kind, name, file.read_bytes()) for kind, name, file in files]))
    except OSError as error:
        raise GraderFault(f"it cannot be read: {error.strerror}", error.filename) from None


def submission_digest(submission: Submission | str, seed: int, exercise: str) -> str:
    """Stands for one submission, or why it cannot be graded, and for what it is graded by: ``exercise`` is a digest."""
    if isinstance(submission, str):
        content: object = submission
    else:
        content = sorted(submission.files.items()), sorted(submission.homes.items()), submission.notes
    return _digest((exercise, seed, content))


def _digest(content: object) -> str:
    # What repr makes of strings, bytes, numbers, tuples and lists can be read in one way only.
    return sha256(repr(content).encode()).hexdigest()
