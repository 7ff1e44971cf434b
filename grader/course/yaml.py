"""Strict YAML with positions: plain data, and the line and column of every key and value.

What YAML lets pass in silence is refused here with its place: duplicate keys, anchors, aliases, tags. Scalars
have the types of YAML 1.2's core schema, so ``no``, ``on``, ``10:30`` and ``2026-11-30`` are text as written, and so
is ``010``. A number with a decimal point is a ``Decimal``: exactly what stands in the file. More than 40 digits are
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import yaml as pyyaml

LOADER = getattr(pyyaml, "CSafeLoader", pyyaml.SafeLoader)
DEEPEST = 50
LONGEST_NUMBER = 40

Key = str | int
Path = tuple[Key, ...]
Position = tuple[int, int]

_LINE_END = re.compile(r"\r\n?|\n")
_INDENTED_KEY = re.compile(r"\s+[\w-]+\s*")
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_REAL = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
# Beside what YAML forbids, the ends of lines that YAML knows and editors do not, which would shift every place below.
_FORBIDDEN = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NO_COLON = "could not find expected ':'"
_COLON_INSIDE = "mapping values are not allowed in this context"
# What libyaml says, and what a writer can do about it.
_ADVICE = {
    _COLON_INSIDE: "a colon and a space inside a value: put the value in quotes",
    "found character that cannot start any token": "a value cannot begin with this character: put it in quotes",
    _NO_COLON: "a key without a colon, or text that continues without indentation",
    "did not find expected key": "the indentation does not fit the lines above, or a quote is closed too early",
}


class YamlError(Exception):
    """YAML that is malformed, or that says something in a way that is refused."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.message = message
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data and where each part of it stands, by path: ``("functions", 0, "name")``.

    ``values`` has the position of each value, ``keys`` that of each key of a mapping.
    """

    data: Any
    values: Mapping[Path, Position]
    keys: Mapping[Path, Position]


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read."""

    path: Path
    node: list[Any] | dict[str, Any]
    key: str | None = None
    seen: dict[str, int] = field(default_factory=dict)

    def wants_key(self) -> bool:
        return isinstance(self.node, dict) and self.key is None

    def next_path(self) -> Path:
        return (*self.path, len(self.node) if self.key is None else self.key)

    def add(self, value: Any) -> None:
        if isinstance(self.node, list):
            self.node.append(value)
        elif self.key is not None:
            self.node[self.key] = value
            self.key = None


def parse(text: str) -> Document:
    """Read one YAML document.

    >>> document = parse("title: Shard\\nworld_sizes: [1, 2]\\n")
    >>> document.data
    {'title': 'Shard', 'world_sizes': [1, 2]}
    >>> document.values["world_sizes", 1]
    (2, 18)
    >>> parse("a: 1\\na: 2\\n")
    Traceback (most recent call last):
    ...
    grader.course.yaml.YamlError: 2:1: `a` is given twice, first in line 1
    """
    values: dict[Path, Position] = {}
    keys: dict[Path, Position] = {}
    root = _Open((), [])
    stack = [root]
    for event in _events(text):
        position = (event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, pyyaml.DocumentStartEvent) and root.node:
            raise YamlError("a second document: one file holds one", *position)
        if isinstance(event, pyyaml.CollectionEndEvent):
            done = stack.pop()
            stack[-1].add(done.node)
        elif isinstance(event, pyyaml.NodeEvent):
            _refuse(event, position)
            parent = stack[-1]
            if parent.wants_key():
                _open_key(parent, event, position)
                keys[parent.next_path()] = position
                continue
            path = () if parent is root else parent.next_path()
            values[path] = position
            if isinstance(event, pyyaml.ScalarEvent):
                parent.add(_scalar(event, position))
            elif len(stack) > DEEPEST:
                raise YamlError(f"nested more than {DEEPEST} deep", *position)
            else:
                stack.append(_Open(path, {} if isinstance(event, pyyaml.MappingStartEvent) else []))
    data = root.node[0] if isinstance(root.node, list) and root.node else None
    return Document(data, values or {(): (1, 1)}, keys)


def _events(text: str) -> Iterator[Any]:
    bad = _FORBIDDEN.search(text)
    if bad is not None:
        raise YamlError(f"the character U+{ord(bad[0]):04X} is not allowed", *_position(text, bad.start()))
    try:
        yield from pyyaml.parse(text, Loader=LOADER)
    except pyyaml.MarkedYAMLError as error:
        problem = error.problem or "not YAML"
        # It misses a colon only where the next key begins; what lacks it began before.
        mark = error.context_mark if problem == _NO_COLON else error.problem_mark or error.context_mark
        position = (1, 1) if mark is None else (mark.line + 1, mark.column + 1)
        raise YamlError(_advice(problem, text, position), *position) from None


def _advice(problem: str, text: str, position: Position) -> str:
    line = (text.splitlines() or [""])[min(position[0], text.count("\n") + 1) - 1 :][:1]
    if line and line[0][position[1] - 1 : position[1]] == "\t":
        return "a tab: indent with spaces"
    if problem == _COLON_INSIDE and line and _INDENTED_KEY.fullmatch(line[0][: position[1] - 1]):
        return "a key that is indented under a value: begin it in the column of the keys above it"
    return _ADVICE.get(problem, problem)


def _position(text: str, offset: int) -> Position:
    lines = _LINE_END.split(text[:offset])
    return len(lines), len(lines[-1]) + 1


def _refuse(event: Any, position: Position) -> None:
    if isinstance(event, pyyaml.AliasEvent):
        raise YamlError(f"an alias (*{event.anchor}): write the value out", *position)
    if event.anchor is not None:
        raise YamlError(f"an anchor (&{event.anchor}): write the value out where it is used", *position)
    if event.tag is not None:
        raise YamlError(f"a tag ({event.tag}): the type follows from the value", *position)


def _open_key(parent: _Open, event: Any, position: Position) -> None:
    if not isinstance(event, pyyaml.ScalarEvent):
        raise YamlError("a key must be text, not a list or mapping", *position)
    key = event.value
    if key in parent.seen:
        raise YamlError(f"`{key}` is given twice, first in line {parent.seen[key]}", *position)
    parent.seen[key] = position[0]
    parent.key = key


def _scalar(event: Any, position: Position) -> Any:
    text = event.value
    plain, _ = event.implicit
    if not plain:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > LONGEST_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _REAL.fullmatch(text):
        return Decimal(text)
    if _NOT_FINITE.fullmatch(text):
        raise YamlError(f"{text} is no number to count with; put it in quotes if text is meant", *position)
    return text
