"""Comments that say which finding is meant to be there: ``<!-- check: ignore RULE because … -->``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.course.page import Comment, Page, Span
from grader.results import Finding
from grader.rules.base import Rule

_REMARK = re.compile(r"check:(?P<rest>.*)", re.DOTALL)
_IGNORE = re.compile(r"\s*ignore\s+(?P<rules>[\w-]+(?:\s*,\s*[\w-]+)*)(?:\s+because\s+(?P<reason>\S.*))?\s*", re.DOTALL)
_MARKERS = " \t>*+-"


@dataclass(frozen=True, slots=True)
class Ignore:
    """A comment that names rules, perhaps none, and the lines that it covers, from ``first`` up to ``last``."""

    rules: tuple[str, ...]
    reason: str | None
    span: Span
    first: int
    last: int

    def covers(self, finding: Finding) -> bool:
        """Whether a finding on the same page is meant."""
        return finding.rule in self.rules and finding.line is not None and self.first <= finding.line <= self.last


@dataclass(frozen=True, slots=True)
class Checked:
    """A page once other rules have run: which did, and all that they found about it, ignored or not."""

    page: Page
    ran: frozenset[str]
    findings: tuple[Finding, ...]


class IgnoreRule(Rule[Checked]):
    """A rule about what other rules found; it runs after them."""


def ignores(page: Page) -> tuple[Ignore, ...]:
    """What a page says to ignore.

    A comment on lines of its own covers the block that comes next, one within a line that line.
    """
    return tuple(_ignores(page))


def _ignores(page: Page) -> Iterator[Ignore]:
    for comment in page.comments:
        remark = _REMARK.fullmatch(comment.text)
        if remark is None:
            continue
        match = _IGNORE.fullmatch(remark["rest"])
        names = tuple(re.split(r"\s*,\s*", match["rules"])) if match else ()
        last = _end_of_next_block(page, comment.span.end_line) if _alone(page, comment) else comment.span.end_line
        yield Ignore(names, match["reason"] if match else None, comment.span, comment.span.line, last)


def _alone(page: Page, comment: Comment) -> bool:
    """Whether nothing else stands in the lines of a comment, but for marks of lists and quotes before it."""
    before = page.text.line(comment.span.line)[: comment.span.column - 1]
    after = page.text.line(comment.span.end_line)[comment.span.end_column - 1 :]
    return not before.strip(_MARKERS) and not after.strip()


def _end_of_next_block(page: Page, line: int) -> int:
    """The last line of the first block that begins after ``line``, or ``line`` if there is none."""
    for token in page.tokens:
        # A block's lines count from 0, and its end is the first line after it.
        if token.map is not None and token.map[0] >= line:
            return token.map[1]
    return line
