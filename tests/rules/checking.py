"""The small course in which everything is right, and what rules find in it once something is wrong."""

from __future__ import annotations

from pathlib import Path

from grader.course import Course
from grader.course.library import Library
from grader.results import Finding
from grader.rules import rules
from grader.rules.engine import check

SMALL = Path(__file__).parents[1] / "cases" / "small_course"


def findings(root: Path) -> tuple[Finding, ...]:
    """Everything that all rules find in a course."""
    course = Course.read(root / "course.yml", check=False)
    return check(Library(root, course, course.anchors), rules().values())


def shown(finding: Finding) -> str:
    """A finding as it stands in the files of expected findings."""
    place = f"{finding.line}:{finding.column}-{finding.end_line}:{finding.end_column}"
    fixed = "" if finding.fix is None else f"\n    {finding.fix}"
    return f"{place} {finding.severity} {finding.rule}\n    {finding.message}{fixed}\n"
