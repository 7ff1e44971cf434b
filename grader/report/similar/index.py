"""The page that lists the pairs, those that look most alike first."""

from __future__ import annotations

from collections.abc import Iterator

from grader.likeness import Likeness, Pair, Side
from grader.report._markup import document, inline, table, track
from grader.report.similar._words import NO_PROOF, counted, found, method, percent
from grader.report.similar.csv import page_name


def render(likeness: Likeness, pages: int) -> str:
    """Render the list of the first ``pages`` pairs, each of which has a page of its own."""
    return document(f"{likeness.exercise}: {found(likeness)}", _parts(likeness, pages))


def _parts(likeness: Likeness, pages: int) -> Iterator[str]:
    yield (
        f'<header>\n<p class="exercise">{inline(likeness.exercise)}: {inline(likeness.title)}</p>\n'
        f'<h1>Submissions that look alike</h1>\n<p class="score">{inline(_capital(found(likeness)))}</p>\n</header>\n'
        "<main>\n"
    )
    if likeness.pairs:
        yield f'<section class="note" aria-label="What this does not say"><p>{inline(NO_PROOF)}</p></section>\n'
        yield from _table(likeness, pages)
    if likeness.remarks:
        yield from _remarks(likeness)
    yield '<section aria-labelledby="method"><h2 id="method">How they were compared</h2>\n'
    yield "".join(f"<p>{inline(sentence)}</p>\n" for sentence in method(likeness))
    yield "</section>\n</main>\n"


def _table(likeness: Likeness, pages: int) -> Iterator[str]:
    yield '<section aria-labelledby="pairs"><h2 id="pairs">Pairs</h2>\n'
    side = [("", "submission"), ("number", "its share")]
    heads = [("number", "side by side"), *side, *side, ("bar", ""), ("number", "tokens")]
    rows = [_row(rank, pair) for rank, pair in enumerate(likeness.pairs[:pages], 1)]
    yield table("functions", "Pairs, those that look most alike first", heads, rows)
    if len(likeness.pairs) > pages:
        yield f"<p>{counted(len(likeness.pairs) - pages, 'more pair')}, less alike, in pairs.csv.</p>\n"
    yield "</section>\n"


def _row(rank: int, pair: Pair) -> list[str]:
    return [
        f'<td class="number"><a href="{page_name(rank)}">Pair {rank}</a></td>',
        *_side(pair.left),
        *_side(pair.right),
        f'<td class="bar">{track(float(pair.share))}</td>',
        f'<td class="number">{pair.left.shared:,}</td>',
    ]


def _side(side: Side) -> list[str]:
    return [f'<th scope="row">{inline(side.id)}</th>', f'<td class="number">{percent(side.share)}</td>']


def _remarks(likeness: Likeness) -> Iterator[str]:
    people = len({remark.id for remark in likeness.remarks})
    rows = [
        [f'<th scope="row">{inline(remark.id)}</th>', f"<td>{inline(remark.text)}</td>"] for remark in likeness.remarks
    ]
    yield (
        '<section aria-label="Remarks"><details class="card blocked">'
        f"<summary>{counted(people, 'submission')} not compared, or not as usual</summary>\n"
    )
    yield table("remarks", "What is to know of them", [("", "submission"), ("", "remark")], rows)
    yield "</details></section>\n"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
