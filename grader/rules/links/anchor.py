"""The rule ``link-anchor``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule
from grader.rules.links._targets import Target, file_of, near_id, page_of, rewrite, targets

# The top of a page, lines as GitHub marks them, and text that a browser searches for need no id.
_WITHOUT_ID = re.compile(r"|top|L\d+(C\d+)?(-L\d+(C\d+)?)?|:~:.*", re.IGNORECASE)


class LinkAnchor(PageRule):
    """What stands after ``#`` is an id of the page that the link leads to.

    Headings have ids by the rules of the dialect, tags of HTML by ``id`` and ``name``. A link to a folder leads to
    its ``README.md`` or ``index.md``.
    """

    id = "link-anchor"
    title = "Links lead to headings and ids that are there"
    why = "A link to a place that is not there leads to the top of the page, where the reader has to search."
    file = "glossary/common-year.md"
    good = "[leap day](leap-day.md)"
    bad = "[leap day](leap-day.md#Leap-Day)"
    fix = "Write the id of the heading: `course check` names the one that is nearest."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for target in targets(subject):
            path = None if _WITHOUT_ID.fullmatch(target.fragment) else file_of(target, library)
            page = subject if path == subject.path else page_of(path, library) if path is not None else None
            if page is not None and target.fragment not in page.ids:
                yield self._missing(subject, target, page)
            elif path is not None and page is None and (library.root / path).is_dir():
                message = f"the folder `{path}` has no README.md or index.md in which `#{target.fragment}` could be"
                yield self.finding(subject.path, target.link.target_span, message)

    def _missing(self, subject: Page, target: Target, page: Page) -> Finding:
        where = "this page" if page is subject else f"`{page.path}`"
        message = f"there is no `#{target.fragment}` in {where}"
        near = near_id(target.fragment, page)
        if near is None:
            return self.finding(subject.path, target.link.target_span, message)
        only_case = near.casefold() == target.fragment.casefold()
        advice = f"Write #{near}." if only_case else f"Did you mean #{near}?"
        edits = rewrite(subject, target.link, f"#{target.fragment}", f"#{near}") if only_case else ()
        return self.finding(subject.path, target.link.target_span, message, advice, edits)
