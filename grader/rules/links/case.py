"""The rule ``link-case``."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule
from grader.rules.links._targets import file_of, other_case, rewrite, targets


class LinkCase(PageRule):
    """A link names a file in the letter case that the file has."""

    id = "link-case"
    title = "Links have the letter case of their file"
    why = "It works where it was written, on macOS or Windows, and leads nowhere on GitHub and on Linux."
    file = "lessons/lesson1.md"
    good = "[Resources](resources.md)"
    bad = "[Resources](Resources.md)"
    fix = "Write capital and small letters as the file's name has them."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for target in targets(subject):
            right = other_case(target.path, library)
            if target.outside or target.folder or right is None or file_of(target, library) is not None:
                continue
            message = f"there is no file `{target.path}`, only `{right}`"
            edits = rewrite(subject, target.link, basename(target.path), basename(right))
            same_folder = right.removesuffix(basename(right)) == target.path.removesuffix(basename(target.path))
            yield self.finding(
                subject.path, target.link.target_span, message, f"Write {right}.", edits if same_folder else ()
            )
