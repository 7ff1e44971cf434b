"""Where a link leads, as a path in the library."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from urllib.parse import quote, unquote

from grader.course.errors import CourseError
from grader.course.library import MARKDOWN, Library
from grader.course.page import Link, Page
from grader.results import Edit

# A letter and a colon is a drive, not a scheme; `{{`, `{%` and `<%` are filled in before the page is Markdown.
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//|.*(\{\{|\{%|<%)")
_INDEXES = ("README.md", "index.md", "readme.md")
_NEAR = 0.7
# To compare a name with many others takes long, and may be done for each link of a large tree.
_LOOKED_AT = 300


@dataclass(frozen=True, slots=True)
class Target:
    """A place in the library: a path from its root, perhaps out of it, and what stands after ``#``, decoded."""

    link: Link
    path: str
    fragment: str
    folder: bool

    @property
    def outside(self) -> bool:
        return self.path == ".." or self.path.startswith("../")


def targets(page: Page) -> Iterator[Target]:
    """Where the links of a page lead that lead to a file."""
    for link in page.links:
        if _ELSEWHERE.match(link.target) is None:
            yield _target(page.path, link)


def _target(path: str, link: Link) -> Target:
    return Target(link, *_place(path, link.target))


@cache
def _place(path: str, target: str) -> tuple[str, str, bool]:
    address, _, fragment = target.partition("#")
    address = unquote(address.partition("?")[0])
    if not address:
        return path, unquote(fragment), False
    folder = "" if address.startswith("/") else posixpath.dirname(path)
    joined = posixpath.normpath(posixpath.join(folder, address.lstrip("/")))
    return joined, unquote(fragment), address.endswith("/")


def file_of(target: Target, library: Library) -> str | None:
    """The file or folder that a target leads to; of a page that a site is made with, its source."""
    if library.has(target.path):
        return target.path if not target.folder or (library.root / target.path).is_dir() else None
    stem, dot, _ = target.path.rpartition(".html")
    if not dot or library.dialect == "github":
        return None
    index = posixpath.join(posixpath.dirname(stem), "README")
    sources = [stem + suffix for suffix in MARKDOWN]
    if posixpath.basename(stem) == "index":
        sources += [index + suffix for suffix in MARKDOWN]
    return next(filter(library.has, sources), None)


def page_of(path: str, library: Library) -> Page | None:
    """The page at a path, or the one that a folder shows; None if it is no page or cannot be read."""
    if not path.lower().endswith(MARKDOWN):
        inside = (posixpath.normpath(posixpath.join(path, name)) for name in _INDEXES)
        path = next(filter(library.has, inside), "")
    try:
        return library.page(path) if path else None
    except CourseError:
        return None


def other_case(path: str, library: Library) -> str | None:
    """The path that differs from this one in the case of letters only."""
    return library.folded.get(path.casefold())


def near_file(target: Target, page: Page, library: Library) -> str | None:
    """The address of a file that was perhaps meant: with the same name elsewhere, or a like name in its folder."""
    folder, name = posixpath.split(target.path)
    beside = {posixpath.basename(path): path for path in library.inside.get(folder, ())[:_LOOKED_AT]}
    near = library.named.get(name) or [path for other, path in beside.items() if posixpath.splitext(other)[0] == name]
    near = near or [beside[other] for other in difflib.get_close_matches(name, beside, 1, _NEAR)]
    return address(near[0], page) if near else None


def address(path: str, page: Page) -> str:
    """A path as a page writes it in a link."""
    return quote(posixpath.relpath(path, posixpath.dirname(page.path) or "."), safe="/()!$&'*+,;=:@~")


def near_id(fragment: str, page: Page) -> str | None:
    """The id of a page that was perhaps meant."""
    folded = {id.casefold(): id for id in sorted(page.ids)}
    near = difflib.get_close_matches(fragment.casefold(), folded, 1, _NEAR)
    return folded[near[0]] if near else None


def rewrite(page: Page, link: Link, old: str, new: str) -> tuple[Edit, ...]:
    """The edit that writes ``new`` for ``old`` in a link's address; none if it is written in another way."""
    span = link.target_span
    written = page.text.content[
        page.text.offset(span.line, span.column) : page.text.offset(span.end_line, span.end_column)
    ]
    if written != link.target or written.count(old) != 1:
        return ()
    return (Edit(span.line, span.column, span.end_line, span.end_column, written.replace(old, new)),)
