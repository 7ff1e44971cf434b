"""Where values of frontmatter stand, and to what links lead."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from grader.course.lesson import kind_of
from grader.course.page import Link, Page, Span


def value_span(page: Page, *path: str | int) -> Span | None:
    """Where the value at ``path`` of a page's frontmatter stands; None if it is not there."""
    source = None if page.frontmatter is None else page.frontmatter.source
    if source is None or path not in source.document.values:
        return None
    line, column = source.document.values[path]
    written = page.text.line(line)
    value = source.document.data
    for key in path:
        value = value[key]
    end = column + len(value) if isinstance(value, str) and written.startswith(value, column - 1) else len(written) + 1
    return Span(line, column, line, end)


def strings(page: Page, key: str) -> Iterator[tuple[str, Span | None]]:
    """The texts in the list at ``key`` of a page's frontmatter, each with its place."""
    items = page.frontmatter.data.get(key) if page.frontmatter is not None else None
    for index, item in enumerate(items if isinstance(items, list) else []):
        if isinstance(item, str):
            yield item, value_span(page, key, index)


def path_of(link: Link, page: Page) -> str:
    """The path in the course to which a link leads, if it leads to a file."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page.path), link.target.partition("#")[0]))


def term_of(link: Link, page: Page) -> str | None:
    """The id of the term to which a link leads."""
    path = path_of(link, page)
    return posixpath.basename(path).removesuffix(".md") if kind_of(path) == "term" else None
