"""The learners' edition of a course: its files, without what hidden criteria say, and how they are written."""

from __future__ import annotations

from grader.release.autograder import is_autograder, make_autograder
from grader.release.edition import Edition, Released, make_edition
from grader.release.writing import ReleaseRefused, Written, write_release

__all__ = [
    "Edition",
    "ReleaseRefused",
    "Released",
    "Written",
    "is_autograder",
    "make_autograder",
    "make_edition",
    "write_release",
]
