"""The pairs that look most alike, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from grader.likeness import Likeness, Pair
from grader.report import Options
from grader.report._console import hanging, new_console, printed
from grader.report._learner_text import one_line
from grader.report.similar._words import NO_PROOF, counted, found, percent

MOST = 10

_DEFAULT = Options()


def render(likeness: Likeness, options: Options = _DEFAULT) -> str:
    """Render the first pairs of ``likeness``, or all of them if ``options`` ask for more."""
    console = new_console(options.width, options.colour)
    shown = likeness.pairs if options.verbose else likeness.pairs[:MOST]
    lines = [Text(f"{likeness.exercise}: {found(likeness)}", "bold"), Text(), *_table(shown)]
    if len(likeness.pairs) > len(shown):
        lines.append(Text(f"and {len(likeness.pairs) - len(shown):,} more", "dim"))
    if likeness.remarks:
        people = len({remark.id for remark in likeness.remarks})
        lines.append(Text(f"Not compared, or not as usual: {counted(people, 'submission')}, named in index.html"))
    if shown:
        lines += [Text(), *hanging(Text(), Text(NO_PROOF), console)]
    return printed(lines, console)


def _table(pairs: tuple[Pair, ...]) -> Iterator[Text]:
    if not pairs:
        return
    cells = [("share", "of", "share", "of", "tokens"), *map(_cells, pairs)]
    widths = [max(Text(row[column]).cell_len for row in cells) for column in range(5)]
    for place, row in enumerate(cells):
        padded = []
        for column, cell in enumerate(row):
            space = " " * (widths[column] - Text(cell).cell_len)
            padded.append(cell + space if column in (1, 3) else space + cell)
        yield Text("  " + "  ".join(padded), "" if place else "dim")
    yield Text()


def _cells(pair: Pair) -> tuple[str, str, str, str, str]:
    left, right = pair.left, pair.right
    return percent(left.share), one_line(left.id), percent(right.share), one_line(right.id), f"{left.shared:,}"
