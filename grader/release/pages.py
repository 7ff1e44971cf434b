"""Pages of an edition: what they link and the edition does not have is found in the course's repository."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from urllib.parse import unquote

from grader.course.markdown import read_page


def with_links_out(files: Mapping[str, bytes], repository: str | None) -> dict[str, bytes]:
    """The Markdown pages among ``files`` that link files which are not among them, with addresses in their place.

    >>> files = {"lessons/a.md": b"[b](b.md) [c](../docs/c.md#d)", "lessons/b.md": b""}
    >>> with_links_out(files, "https://example.org/course")
    {'lessons/a.md': b'[b](b.md) [c](https://example.org/course/blob/HEAD/docs/c.md#d)'}
    """
    if repository is None:
        return {}
    known = {*files, *(folder for name in files for folder in _folders(name))}
    found = {name: _page(name, content, known, repository) for name, content in files.items() if name.endswith(".md")}
    return {name: content for name, content in found.items() if content != files[name]}


def _folders(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return [".", *("/".join(parts[: count + 1]) for count in range(len(parts)))]


def _page(name: str, content: bytes, known: set[str], repository: str) -> bytes:
    page = read_page(name, content)
    text = page.text.content
    spans = {link.target_span: link.target for link in page.links}
    for span, target in sorted(spans.items(), key=lambda item: (item[0].line, item[0].column), reverse=True):
        address, mark, fragment = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(address)))
        if address and ":" not in address and path not in known and not path.startswith("../"):
            start = page.text.offset(span.line, span.column)
            end = page.text.offset(span.end_line, span.end_column)
            text = f"{text[:start]}{repository}/blob/HEAD/{path}{mark}{fragment}{text[end:]}"
    return ("\ufeff" * page.text.bom + text).encode()
