"""The page of a pair: the two submissions side by side, with the passages that both have marked and linked."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from pathlib import Path

from grader.likeness import Marked, Piece, SideBySide
from grader.report._learner_text import escape
from grader.report._markup import document, inline
from grader.report.similar._words import NO_PROOF, counted, percent, side

TINTS = 4

Labels = Mapping[int, int]


def render(pair: SideBySide, exercise: str) -> str:
    """Render ``pair``, file by file."""
    style = Path(__file__).with_name("pair.css").read_text("utf-8")
    left, right = pair.pair.left, pair.pair.right
    return document(f"{exercise}: {left.id} and {right.id}", _parts(pair, exercise), style)


def _parts(found: SideBySide, exercise: str) -> Iterator[str]:
    left, right = found.pair.left, found.pair.right
    numbers = [piece.number for file in found.left for piece in file.pieces if piece.number is not None]
    yield (
        f'<header>\n<p class="exercise"><a href="index.html">{inline(exercise)}: all pairs</a></p>\n'
        f"<h1>{inline(left.id)} and {inline(right.id)}</h1>\n"
        f'<p class="score">{percent(left.share)} and {percent(right.share)} alike</p>\n'
        f"<p>{inline(side(left, right))}.<br>\n{inline(side(right, left))}.</p>\n<p>{inline(NO_PROOF)}</p>\n"
    )
    links = " ".join(f'<a href="#left-{number}">{number + 1}</a>' for number in numbers)
    yield f'<nav aria-label="Passages"><p>{counted(len(numbers), "passage")}: {links}</p></nav>\n</header>\n<main>\n'
    theirs = {file.name: file for file in found.right}
    for file in found.left:
        yield _file(found, file.name, file, theirs.pop(file.name, None))
    for name, other in theirs.items():
        yield _file(found, name, None, other)
    yield "</main>\n"


def _file(found: SideBySide, name: str, left: Marked | None, right: Marked | None) -> str:
    """One file of both; folded where nothing in it is alike."""
    sides = (
        f'<div class="sides">{_side(found.pair.left.id, "left", left)}\n'
        f"{_side(found.pair.right.id, 'right', right)}</div>\n"
    )
    if any(len(each.pieces) > 1 for each in (left, right) if each is not None):
        return f"<section><h2>{inline(name)}</h2>\n{sides}</section>\n"
    return f'<details class="card todo"><summary>{inline(name)}: nothing alike</summary>\n{sides}</details>\n'


def _side(id: str, here: str, file: Marked | None) -> str:
    content = (
        '<p class="soft">not handed in</p>'
        if file is None
        else f'<pre dir="ltr">{"".join(_piece(piece, here) for piece in file.pieces)}</pre>'
    )
    return f'<div><p class="soft">{inline(id)}</p>{content}</div>'


def _piece(piece: Piece, here: str) -> str:
    text = html.escape(escape(piece.text))
    if piece.number is None or piece.counterpart is None:
        return text
    # Both sides show the number that the passage has on the left.
    shown, there = (piece.number, "right") if here == "left" else (piece.counterpart, "left")
    return (
        f'<mark class="tint-{shown % TINTS}" id="{here}-{piece.number}">'
        f'<a class="passage" href="#{there}-{piece.counterpart}" aria-label="Passage {shown + 1} on the {there}">'
        f"{shown + 1}</a>{text}</mark>"
    )
