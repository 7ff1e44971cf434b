"""A Markdown page as data: what it says, and where each part stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from grader.course.errors import CourseError

if TYPE_CHECKING:
    from markdown_it.token import Token

    from grader.course.source import Source

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Where something stands in a file. Lines and columns count characters from 1; the end is the first one after."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, without a byte-order mark; ``bom`` says whether there was one.

    >>> text = Text("# Title\\n\\nSee [b](b.md).\\n")
    >>> text.span(text.content.index("[b]"), text.content.index("."))
    Span(line=3, column=5, end_line=3, end_column=10)
    """

    content: str
    bom: bool = False
    starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", (0, *(end.end() for end in _LINE_END.finditer(self.content))))

    @classmethod
    def decode(cls, content: bytes, file: Path) -> Text:
        """The text of a file's bytes; CourseError with the place if they are not UTF-8 without NUL."""
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise CourseError("the text is UTF-16: save the file as UTF-8", file, 1, 1)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            place = cls(content[: error.start].decode("utf-8").removeprefix("\ufeff")).end
            byte = content[error.start]
            raise CourseError(f"byte 0x{byte:02X} is not UTF-8: save the file as UTF-8", file, *place) from None
        found = cls(text.removeprefix("\ufeff"), text.startswith("\ufeff"))
        nul = found.content.find("\0")
        if nul >= 0:
            raise CourseError("a NUL character (U+0000): take it out", file, *found.position(nul))
        return found

    @property
    def end(self) -> tuple[int, int]:
        """The line and column after the last character."""
        return self.position(len(self.content))

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of a character, by its number from 0."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int = 1) -> int:
        """The number of the character at a line and column."""
        return self.starts[line - 1] + column - 1

    def span(self, start: int, end: int) -> Span:
        """The span of the characters from ``start`` up to ``end``."""
        return Span(*self.position(start), *self.position(end))

    def line(self, number: int) -> str:
        """A line, without its end."""
        start = self.starts[number - 1]
        end = self.starts[number] if number < len(self.starts) else len(self.content)
        return self.content[start:end].rstrip("\r\n")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What stands between the fences at the head of a page, or why it cannot be read.

    Exactly one of ``source``, whose positions are the file's, and ``problem`` is there.
    """

    span: Span
    source: Source | None
    problem: CourseError | None = None

    @property
    def data(self) -> Mapping[str, Any]:
        """The keys and values; none if it cannot be read."""
        data = self.source.document.data if self.source is not None else None
        return data if isinstance(data, dict) else {}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading. ``anchor`` is what a link to it says after ``#``; empty if it has none."""

    level: int
    text: str
    anchor: str
    span: Span


@dataclass(frozen=True, slots=True)
class Anchor:
    """An ``id`` or ``name`` that a piece of HTML gives, or an attribute where the dialect has them."""

    id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Link:
    """A link or image. ``target`` is the address as a browser gets it, with percent-encoding as written.

    ``target_span`` is where the address is written: for a reference link in its definition, elsewhere in the page.
    ``text`` is None for an image that has none.
    """

    kind: Literal["inline", "reference", "autolink", "html"]
    target: str
    text: str | None
    span: Span
    target_span: Span
    image: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """``[label]: target``, for reference links."""

    label: str
    target: str
    span: Span
    used: bool


@dataclass(frozen=True, slots=True)
class Undefined:
    """``[text][label]`` or ``[^label]`` for which nothing stands in the page."""

    label: str
    span: Span
    footnote: bool = False


@dataclass(frozen=True, slots=True)
class Spaced:
    """``[text](my file.md)``, which is no link, because its address has a blank."""

    target: str
    span: Span


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of code. ``span`` is its opening line."""

    mark: str
    language: str
    span: Span
    content: str
    closed: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """An HTML comment, with its inner text stripped of blanks at both ends."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Page:
    """A page. ``path`` is relative to the root of the library, with ``/``.

    ``tokens`` are markdown-it's, of the body; their ``map`` counts lines of the file, from 0.
    """

    path: str
    text: Text
    frontmatter: Frontmatter | None
    tokens: Sequence[Token]
    headings: tuple[Heading, ...]
    anchors: tuple[Anchor, ...]
    links: tuple[Link, ...]
    definitions: tuple[Definition, ...]
    undefined: tuple[Undefined, ...]
    spaced: tuple[Spaced, ...]
    fences: tuple[Fence, ...]
    comments: tuple[Comment, ...]

    @property
    def ids(self) -> frozenset[str]:
        """Everything in the page that a link can lead to."""
        return frozenset(
            {heading.anchor for heading in self.headings if heading.anchor} | {anchor.id for anchor in self.anchors}
        )
