"""The words of a report of findings that do not depend on its format."""

from __future__ import annotations

from pathlib import PurePosixPath

from grader.results import Check


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def fixable(check: Check) -> int:
    """How many findings come with edits that mend them."""
    return sum(bool(finding.edits) for finding in check.findings)


def summary(check: Check) -> str:
    """How much was checked, and what came of it."""
    files = f"{counted(check.files, 'file')} checked"
    if not check.findings:
        return f"{files}: nothing to mend."
    found = [counted(check.count(severity), severity) for severity in ("error", "warning") if check.count(severity)]
    return f"{files}: {', '.join(found)}."


def located(folder: str, path: str) -> str:
    """A path as seen from another folder.

    >>> located("../course", "lessons/a.md"), located("", "lessons/a.md")
    ('../course/lessons/a.md', 'lessons/a.md')
    """
    return (PurePosixPath(folder) / path).as_posix()
