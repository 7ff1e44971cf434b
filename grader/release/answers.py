"""What would tell an answer: the literals of a suite's hidden part, searched for in all that learners get.

What visible criteria say as well tells nothing new. Of the rest some may stand in a file by chance, so what is looked
for, and where, depends on the kind:

- The id of a criterion, a text of three words or more, and a tuple, list, dict or call with three constants or more
  are nowhere by chance: they may stand in no file, however they are broken into lines.
- A number of three digits or more, but for 100, 1000 and so on, and a text of one or two words, may be in the tool,
  whose files are the same for every course and know no suite. In the course's own files a number may not stand at all,
  and such a text not as a value, between quotes: the words of the matter, such as "rows", are all over a lesson.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from grader.release.cut import Cut
from grader.results import Visibility

FEWEST = 3
SHORTEST = 4
_NUMBER = re.compile(r"(?<![\w.])\d[\d_]*(?:,\d{3})*(?:\.\d+)?(?![\w.]*\d)")
_LINE_MARKS = re.compile(r"^[ \t]*[#>*]+", re.MULTILINE)
_TAG = re.compile(r"<[^>]*>")
_GROUPING = re.compile(r"(?<=\d)_(?=\d)")
_QUOTES = str.maketrans('"`', "''")


@dataclass(frozen=True, slots=True)
class Answer:
    """A literal that learners must not see, the criterion or name that has it, and where that is.

    One that is ``common`` may stand in the tool by chance.
    """

    literal: str
    owner: str
    path: Path
    line: int
    common: bool = False
    number: bool = False

    @property
    def needle(self) -> str:
        """What is looked for: a number, or a text without its spaces, in quotes if it could else be chance."""
        if self.number:
            return self.literal
        return f"'{packed(self.literal)}'" if self.common else packed(self.literal)


@dataclass(frozen=True, slots=True)
class Leak:
    """An answer that learners would see, and where."""

    answer: Answer
    file: str
    line: int


def answers(cut: Cut) -> list[Answer]:
    """What the hidden part of a suite says and the visible part does not, each once."""
    said = [*cut.files.values(), *(ast.unparse(statement.node) for statement in cut.kept), *map(repr, cut.visible)]
    texts, numbers = packed("\n".join(said)), set(_numbers("\n".join(said)))
    found: dict[str, Answer] = {}
    for hidden in cut.hidden:
        for answer in _said(hidden.name, hidden.path, hidden.statement.node):
            if answer.needle not in (numbers if answer.number else texts):
                found.setdefault(answer.needle, answer)
    return list(found.values())


def leaks(answers: Sequence[Answer], files: Mapping[str, bytes], of_tool: Callable[[str], bool]) -> Iterator[Leak]:
    """Where answers stand in ``files``; ``of_tool`` tells which of these are the same for every course."""
    needles = [(answer, answer.needle) for answer in answers]
    for file, content in files.items():
        text = content.decode("utf-8", "replace")
        wanted = [(answer, needle) for answer, needle in needles if not (answer.common and of_tool(file))]
        read = _TAG.sub(" ", text) if file.endswith(".svg") else text  # the coordinates of a picture tell nothing
        numbers = set(_numbers(read)) if any(answer.number for answer, _ in wanted) else set()
        texts = packed(text)
        for answer, needle in wanted:
            if needle in (numbers if answer.number else texts):
                yield Leak(answer, file, _line(text, answer))


def packed(text: str) -> str:
    """A text without its spaces and line ends, and with one kind of quotes.

    >>> packed('a = [1_000,\\n     "x"]')
    "a=[1000,'x']"
    """
    return _GROUPING.sub("", "".join(_LINE_MARKS.sub("", text).split())).translate(_QUOTES)


def _said(name: str, path: Path, node: ast.stmt) -> Iterator[Answer]:
    yield Answer(name, name, path, node.lineno, common="-" not in name)
    for each in ast.walk(node):
        line = getattr(each, "lineno", node.lineno)
        match each:
            case ast.Constant(value=str(text)) if text not in get_args(Visibility):
                words = len(re.findall(r"\w+", text))
                if words and len(text.strip()) >= SHORTEST:
                    yield Answer(text.strip(), name, path, line, common=words < FEWEST)
            case ast.Constant(value=(int() | float()) as number) if type(number) is not bool:
                written = repr(abs(number))
                digits = written.replace(".", "").lstrip("0")
                if len(digits) >= FEWEST and digits.isdecimal() and digits.rstrip("0") != "1":
                    yield Answer(written, name, path, line, common=True, number=True)
            case ast.Tuple() | ast.List() | ast.Set() | ast.Dict() | ast.Call() if (_constants(each) or 0) >= FEWEST:
                yield Answer(ast.unparse(each), name, path, line)


def _constants(node: ast.AST) -> int | None:
    """How many constants a value is made of; None if it is made of other things, too."""
    inner: Sequence[ast.expr | None]
    match node:
        case ast.Constant():
            return 1
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            inner = elements
        case ast.Dict(keys=keys, values=values):
            inner = [*keys, *values]
        case ast.Call(args=args, keywords=keywords):
            inner = [*args, *(word.value for word in keywords)]
        case ast.UnaryOp(operand=operand):
            inner = [operand]
        case ast.BinOp(left=left, right=right):
            inner = [left, right]
        case _:
            return None
    counts = [None if each is None else _constants(each) for each in inner]
    return None if None in counts else sum(filter(None, counts))


def _numbers(text: str) -> Iterator[str]:
    return (re.sub("[_,]", "", each) for each in _NUMBER.findall(text))


def _line(text: str, answer: Answer) -> int:
    """The line of ``text`` in which an answer begins."""
    if answer.number:
        return next(n for n, line in enumerate(text.splitlines(), 1) if answer.needle in _numbers(line))
    before, place = 0, packed(text).index(answer.needle)
    for number, line in enumerate(text.splitlines(), 1):
        before += len(packed(line))
        if before > place:
            return number
    return 1
