"""The rule ``link-file``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.library import Library
from grader.course.page import Page
from grader.results import Finding
from grader.rules.base import PageRule
from grader.rules.links._targets import file_of, near_file, other_case, targets


class LinkFile(PageRule):
    """A link or image leads to a file or folder that is there.

    The folder of the page is where an address begins, or the root if it begins with a slash. What stands after ``?``
    is not part of a file's name; ``%20`` and the like are decoded. In dialects of site generators, ``x.html`` is
    there if ``x.md`` is.
    """

    id = "link-file"
    title = "Links lead to files that are there"
    why = "Whoever follows the link finds nothing, and learns no more on this path."
    file = "lessons/lesson1.md"
    good = "[Resources](resources.md)"
    bad = "[Resources](resource.md)"
    fix = "Write the path of the file as it is, from the folder of the page, or take the link out."

    def check(self, subject: Page, library: Library) -> Iterator[Finding]:
        for target in targets(subject):
            if target.outside or file_of(target, library) is not None:
                continue
            if not target.folder and other_case(target.path, library) is not None:
                continue
            near = near_file(target, subject, library)
            advice = None if near is None else f"Did you mean {near}?"
            yield self.finding(subject.path, target.link.target_span, self._message(target.path, library), advice)

    def _message(self, path: str, library: Library) -> str:
        if "\\" in path:
            return f"there is no file `{path}`: write / between folders, not \\"
        if library.has(path):
            return f"`{path}` is a file, and only a folder is followed by /"
        return f"there is no file `{path}`"
