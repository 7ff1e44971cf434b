"""The lines of a frontmatter as they are written: what YAML makes of each, and how it is written right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from grader.course import yaml
from grader.course.lesson import kind_of
from grader.course.library import Library
from grader.course.page import Page, Span
from grader.results import Edit

_ENTRY = re.compile(r"(?P<lead>[ \t]*(?:- )?)(?P<key>[A-Za-z][\w-]*)(?P<gap>[:\uff1a](?!//)\s*)(?P<value>.*?)\s*")
NUMBERS = {"order", "year", "minutes"}
_INDENTED = re.compile(r"\s+\S|- ")
_LIST = re.compile(r"\[[^\]]*\]?")
_MEANING = {
    "*": "an alias",
    "&": "an anchor",
    "!": "a tag",
    "[": "a list",
    "{": "keys and values",
    '"': "quoted text",
    "'": "quoted text",
    "|": "text of several lines",
    ">": "text of several lines",
    "-": "an item of a list",
    "?": "a key",
    "#": "a comment",
}
# Nobody sees such a character, so it is named, and not written again.
_NO_CHARACTER = "is not allowed"
# What may be meant as more than the text of one line, so that only the writer knows what is right.
_OPENING = "\"'[{|>"


def kind(page: Page, library: Library) -> Literal["lesson", "term"] | None:
    """Which schema the page's frontmatter has; None if it need have none."""
    return None if library.course is None else kind_of(page.path)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line ``key: value``. ``gap`` is the colon with the blanks after it."""

    number: int
    lead: str
    key: str
    gap: str
    value: str

    @property
    def column(self) -> int:
        """The column of the value."""
        return len(self.lead) + len(self.key) + len(self.gap) + 1

    @property
    def span(self) -> Span:
        """Where the value stands, or the key if there is none, or the tab that should not be there."""
        if "\t" in self.lead:
            return Span(self.number, 1, self.number, len(self.lead) + 1)
        start = self.column if self.value else len(self.lead) + 1
        return Span(self.number, start, self.number, self.column + len(self.value))

    @property
    def parsed(self) -> Any:
        """What YAML makes of the value alone; YamlError if nothing."""
        return yaml.parse(f"k: {self.value}").data["k"]

    @property
    def trap(self) -> str | None:
        """Why the line cannot be read, if it cannot."""
        if "\t" in self.lead:
            return "a tab indents this line, where YAML wants blanks"
        if self.value and (self.gap == ":" or self.gap.strip(" \t") != ":"):
            return f"after `{self.key}` YAML wants a colon and a blank, and here stands {_named(self.gap)}"
        try:
            _ = self.parsed
        except yaml.YamlError as error:
            return None if error.message.endswith(_NO_CHARACTER) else _why(self.value, error.message)
        return None

    @property
    def is_cut(self) -> bool:
        """Whether a comment, or what looks like one, ends the value."""
        return " #" in f" {self.value}" and self.value[0] not in "\"'"

    @property
    def right(self) -> str:
        """The line, so written that it can be read."""
        value = _closed(self.value) or (self.value if _reads(self.value) else quoted(self.value))
        return self.lead.replace("\t", "  ") + f"{self.key}: {value}"

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edit that writes the line right, if only one thing can be meant."""
        if (self.value and self.value[0] in _OPENING) or "\t" in self.lead:
            return ()
        return self.replace(self.right)

    def replace(self, line: str) -> tuple[Edit, ...]:
        """The edit that puts ``line`` in this one's place; none where a comment may follow, which is no part of it."""
        if " #" in self.value:
            return ()
        return (Edit(self.number, 1, self.number, self.column + len(self.value), line),)


def entries(page: Page) -> Iterator[Entry]:
    """The lines ``key: value`` of the frontmatter, even where its fences are missing."""
    for number in _numbers(page):
        match = _ENTRY.fullmatch(page.text.line(number))
        if match is not None:
            yield Entry(number, match["lead"], match["key"], match["gap"], match["value"])


def quoted(value: str) -> str:
    """A value in quotes.

    >>> print(quoted("ZeRO: less memory"), quoted('"ZeRO" explained'), quoted("'it's'"))
    "ZeRO: less memory" '"ZeRO" explained' "it's"
    """
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    if '"' in value and "'" not in value:
        return f"'{value}'"
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _numbers(page: Page) -> Iterator[int]:
    frontmatter = page.frontmatter
    if frontmatter is not None and frontmatter.span.end_line > frontmatter.span.line:
        yield from range(frontmatter.span.line + 1, frontmatter.span.end_line)
        return
    first = 1 if frontmatter is None else frontmatter.span.line + 1
    for number in range(first, len(page.text.starts) + 1):
        line = page.text.line(number)
        if not (_ENTRY.fullmatch(line) or _INDENTED.match(line)):
            return
        yield number


def _reads(value: str) -> bool:
    try:
        yaml.parse(f"k: {value}")
    except yaml.YamlError:
        return False
    return True


def _closed(value: str) -> str | None:
    """A list or quoted text that is not closed, or a list with commas of another script, as it was meant."""
    if _is_half_quoted(value):
        return value + value[0]
    if not _LIST.fullmatch(value):
        return None
    items = value.strip("[]").replace("\uff0c", ",").split(",")
    return f"[{', '.join(item.strip() for item in items)}]"


def _is_half_quoted(value: str) -> bool:
    return value[:1] in ("'", '"') and value[0] not in value[1:]


def _why(value: str, said: str) -> str:
    """Why a value cannot be read, of which the parser said ``said``."""
    if _is_half_quoted(value):
        return f"the quoted text is not closed: {value[0]} is missing at its end"
    if _LIST.fullmatch(value):
        comma = ", and the comma U+FF0C is none of YAML's" if "\uff0c" in value else ""
        return f"the list is not closed: `]` is missing{comma}"
    if value[0] in "@`%,":
        return f"YAML lets no value begin with {value[0]}: such text must stand in quotes"
    if value[0] in _MEANING:
        return f"YAML takes `{value[0]}` for the beginning of {_MEANING[value[0]]}: such text must stand in quotes"
    if not re.search(r":(\s|$)", value):
        return said
    return "YAML takes a colon and a blank inside a value for another key: such text must stand in quotes"


def _named(gap: str) -> str:
    strange = next((character for character in gap if character not in ": \t"), None)
    return "a colon alone" if strange is None else f"U+{ord(strange):04X}"
