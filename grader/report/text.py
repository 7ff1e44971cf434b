"""The report for people: plain text, or with colour in a terminal."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from grader.report import Options, _words
from grader.report._console import hanging, new_console, printed
from grader.report._learner_text import lines as learner_lines
from grader.report._learner_text import one_line
from grader.results import Criterion, Difference, Function, Grade, Memory, RankTable, Status, Timeline

WIDEST = 100
LABEL = 12
BAR, MEMORY_BAR = 16, 25
CHART_ROWS, WIDEST_COLUMN = 6, 4
SHOWN_A_FUNCTION = 3

_DEFAULT = Options()
_STYLES: Mapping[Status, str] = {
    "passed": "green",
    "failed": "bold red",
    "timeout": "bold red",
    "error": "bold magenta",
    "blocked": "yellow",
    "todo": "dim",
}


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` for a reader, at most 100 columns wide."""
    console = new_console(min(options.width, WIDEST), options.colour)
    return printed(_Report(grade, options, console).lines(), console)


def explanation(criterion: Criterion) -> str:
    """What is known of a criterion that was not earned, as the report has it: no more than 80 columns wide."""
    console = new_console(_DEFAULT.width, colour=False)
    return textwrap.dedent(printed(_Explanation(console).lines(criterion), console)).rstrip("\n")


class _Report:
    """The lines of one report, in parts."""

    def __init__(self, grade: Grade, options: Options, console: Console) -> None:
        self.grade = grade
        self.options = options
        self.console = console
        self.width = console.width
        self.explanation = _Explanation(console)

    def lines(self) -> Iterator[Text]:
        yield self._title()
        if self.grade.notes:
            yield Text()
        for note in self.grade.notes:
            yield from self._hanging(Text("  note    ", "yellow"), one_line(note))
        yield Text()
        yield from self._functions()
        for criterion, more in self._problems():
            yield Text()
            yield from self._problem(criterion)
            if more:
                yield Text()
                noun = "criterion" if more == 1 else "criteria"
                yield Text(f"{more} more failed {noun} of {criterion.function}: --verbose shows all.", "dim")
        if self.options.timeline:
            yield from self._passed_timelines()
        yield Text()
        yield from self._summary()
        if self.options.verbose:
            yield from self._fences()
        yield from self._closing()

    # The table of functions.

    def _title(self) -> Text:
        left = Text.assemble((self.grade.exercise, "bold"), f"  {self.grade.title}")
        style = "bold magenta" if self.grade.faulty else "bold green" if self.grade.complete else "bold"
        return self._ends(left, Text(_words.score(self.grade), style))

    def _functions(self) -> Iterator[Text]:
        functions = self.grade.functions
        name = _widest(function.name for function in functions)
        earned = _widest(_words.points(function.earned) for function in functions)
        worth = _widest(_words.points(function.points) for function in functions)
        for function in functions:
            line = Text.assemble("  ", (function.name.ljust(name), "bold"), "  ")
            if not self.grade.faulty:
                score = f"{_words.points(function.earned):>{earned}} of {_words.points(function.points):>{worth}}"
                line += Text.assemble(_bar(function), f"  {score}   ")
            yield from self._hanging(line, _words.counts(function.statuses, bare=True))
            if self.options.verbose:
                yield from self._criteria(function)

    def _criteria(self, function: Function) -> Iterator[Text]:
        criteria = [criterion for criterion in self.grade.criteria if criterion.function == function.name]
        status = _widest(criterion.status for criterion in self.grade.criteria)
        worth = _widest(_words.points(criterion.points) for criterion in criteria)
        for criterion in criteria:
            line = Text.assemble("    ", (criterion.status.ljust(status), _STYLES[criterion.status]), "  ")
            if not self.grade.faulty:
                line += Text(
                    f"{_words.points(criterion.earned):>{worth}} of {_words.points(criterion.points):>{worth}}  "
                )
            needs = f" (needs {', '.join(criterion.blocked_by)})" if criterion.blocked_by else ""
            hidden = "" if criterion.visibility == "visible" else ", hidden"
            yield from self._hanging(line, f"{criterion.title}{needs}{hidden}")

    # A criterion that was not earned.

    def _problems(self) -> Iterator[tuple[Criterion, int]]:
        """The criteria to show, the last of a function with how many more it has."""
        for function in self.grade.functions:
            found = [
                criterion
                for criterion in self.grade.criteria
                if criterion.function == function.name and criterion.status in _words.PROBLEMS
            ]
            shown = found if self.options.verbose else found[:SHOWN_A_FUNCTION]
            for criterion in shown:
                yield criterion, len(found) - len(shown) if criterion is shown[-1] else 0

    def _problem(self, criterion: Criterion) -> Iterator[Text]:
        word = _words.PROBLEMS[criterion.status]
        left = Text.assemble((word.ljust(8), _STYLES[criterion.status]), _words.name(criterion))
        yield self._ends(left, Text(criterion.id, "dim"))
        yield from self.explanation.lines(criterion)

    def _passed_timelines(self) -> Iterator[Text]:
        for criterion in self.grade.criteria:
            if criterion.status == "passed" and isinstance(criterion.detail, Timeline):
                yield Text()
                left = Text.assemble(("PASSED  ", "green"), _words.name(criterion))
                yield self._ends(left, Text(criterion.id, "dim"))
                yield from self.explanation.timeline(criterion.detail)

    # The end: what there was, what was left out, what to do next.

    def _summary(self) -> Iterator[Text]:
        yield from self._wrap(_words.summary(self.grade))
        for sentence in _words.left_out(self.grade):
            yield from self._wrap(sentence)

    def _fences(self) -> Iterator[Text]:
        """What kept the learner's code apart, and what could not be had for it."""
        yield Text()
        yield from self._hanging(Text("Fences ", "bold"), ", ".join(self.grade.fences) or "none")
        for each in self.grade.missing_fences:
            yield from self._hanging(Text("       ", "bold"), f"{each.name} is missing: {one_line(each.reason)}")

    def _closing(self) -> Iterator[Text]:
        said, step = _words.verdict(self.grade), self.grade.next
        if said is not None:
            yield Text()
            for line in self._wrap(said):
                line.stylize("" if self.grade.faulty else "green")
                yield line
        elif step is not None:
            yield Text()
            label = Text("Begin  " if _words.begins(self.grade) else "Next   ", "bold")
            yield from self._hanging(label, f"{one_line(step.text)}, then")
            yield Text.assemble("       ", (step.command, "bold cyan"))
            yield Text.assemble(("Stuck? ", "bold"), (_words.hint_command(step), "cyan"))

    # Layout.

    def _ends(self, left: Text, right: Text) -> Text:
        """Put ``left`` and ``right`` at the two ends of a line, or of two if they do not fit."""
        room = self.width - cell_len(left.plain) - cell_len(right.plain)
        if room >= 2:
            return Text.assemble(left, " " * room, right)
        return Text.assemble(left, "\n", " " * (self.width - cell_len(right.plain)), right)

    def _hanging(self, head: Text, text: str) -> Iterator[Text]:
        return hanging(head, Text(text), self.console)

    def _wrap(self, text: str) -> Iterator[Text]:
        return self._hanging(Text(), text)


class _Explanation:
    """What is known of a criterion that was not earned, in lines."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def lines(self, criterion: Criterion) -> Iterator[Text]:
        called = _words.called(criterion)
        if called is not None:
            yield from self._field("called", [called])
        if criterion.expected is not None:
            yield from self._field("expected", learner_lines(criterion.expected))
        actual = _words.actual(criterion)
        if actual:
            yield from self._field("got", actual)
        if criterion.message is not None and (not actual or criterion.status == "timeout"):
            yield from self._field("why", learner_lines(criterion.message))
        if criterion.status == "error":
            yield from self._field("fault", [_words.FAULT])
        yield from self._detail(criterion)
        if criterion.where is not None and not _words.places_shown(criterion):
            yield from self._field("at", [_words.place(criterion.where, ", ")])
        if criterion.output:
            yield from self._field("printed", learner_lines(criterion.output))
        if criterion.hint:
            yield from self._field("hint", [one_line(criterion.hint)])

    def _detail(self, criterion: Criterion) -> Iterator[Text]:
        match criterion.detail:
            case RankTable():
                yield from _indented(_rank_table(criterion.detail, self.console.width - LABEL))
            case Memory():
                yield from _indented(_memory(criterion.detail))
                for held in criterion.detail.held[: _words.HELD_SHOWN]:
                    text = f"{held.bytes:,} bytes"
                    if held.place is None:
                        yield from self._field("held", [text])
                    else:
                        source = [] if held.place.source is None else [one_line(held.place.source)]
                        where = f"{text}, allocated at {one_line(held.place.file)}:{held.place.line}"
                        yield from self._field("held", [where, *source])
                if len(criterion.detail.held) > _words.HELD_SHOWN:
                    left_out = len(criterion.detail.held) - _words.HELD_SHOWN
                    yield from self._field("", [f"... {left_out:,} more allocations left out ..."])
            case Difference():
                yield from _indented(_difference(criterion.detail))
            case Timeline():
                yield from self.timeline(criterion.detail)

    def timeline(self, timeline: Timeline) -> Iterator[Text]:
        yield from self._field("memory", [_words.timeline_title(timeline)])
        yield from _indented(_chart(timeline, self.console.width - LABEL))

    def _field(self, label: str, paragraphs: Sequence[str]) -> Iterator[Text]:
        head = Text(f"  {label}".ljust(LABEL), "dim")
        for paragraph in paragraphs:
            yield from hanging(head, Text(paragraph), self.console)
            head = Text(" " * LABEL)


def _bar(function: Function) -> Text:
    share = function.earned / function.points if function.points else Decimal(0)
    full = round(share * BAR)
    if 0 < share < 1:
        full = min(max(full, 1), BAR - 1)
    return Text.assemble(("#" * full, "green" if share == 1 else "yellow"), ("." * (BAR - full), "dim"))


def _rank_table(table: RankTable, room: int) -> Iterator[Text]:
    rows = [_words.RANK_COLUMNS, *map(_words.rank_cells, table.rows)]
    widths = [_widest(column) for column in zip(*rows, strict=True)]
    gap = "   " if sum(widths) + 2 + 3 * 3 <= room else "  "
    hidden = _words.ranks_left_out(len(table.rows))
    for index, (rank, *cells) in enumerate(rows):
        if index - 1 not in hidden:
            padded = [cell.ljust(width) for cell, width in zip(cells, widths[1:], strict=True)]
            yield Text(f"{rank.ljust(widths[0])}  {gap.join(padded)}", "" if index else "dim")
        elif index - 1 == hidden[0]:
            yield Text(f"... {len(hidden):,} ranks left out ...", "dim")


def _memory(memory: Memory) -> Iterator[Text]:
    label = _widest(name for name, _ in memory.points)
    number = _widest(f"{count:,}" for _, count in memory.points)
    most = max((count for _, count in memory.points), default=0)
    above = _words.too_many(memory)
    for index, (name, count) in enumerate(memory.points):
        length = round(MEMORY_BAR * count / most) if most else 0
        bar = ("#" * max(length, 1 if count else 0)).ljust(MEMORY_BAR)
        line = Text(f"{one_line(name).ljust(label)}  {bar} {count:>{number},} {memory.unit}")
        if above is not None and index == above[0]:
            line.append(f"   {above[1]:,} too many", "bold red")
        yield line


def _difference(difference: Difference) -> Iterator[Text]:
    same, expected, actual = _words.first_difference(difference)
    yield Text(_words.difference_at(difference))
    yield Text(f"  expected  {expected}")
    yield Text(f"  got       {actual}")
    yield Text(" " * (12 + cell_len(actual[:same])) + "^", "bold red")


def _chart(timeline: Timeline, width: int) -> Iterator[Text]:
    """Draw bytes over time, a column per event or per few of them, with the bound as a dashed line."""
    top = max(*timeline.bytes, timeline.bound or 0, 1) if timeline.bytes else 1
    axis = len(f"{top:,}")
    columns = _columns(timeline.bytes, width - axis - 2)
    for row in range(CHART_ROWS, 0, -1):
        low, high = top * (row - 1) / CHART_ROWS, top * row / CHART_ROWS
        bound = timeline.bound is not None and low < timeline.bound <= high
        label = f"{top:,}" if row == CHART_ROWS else "0" if row == 1 else ""
        cells = "".join("#" if count > low else "-" if bound else " " for count in columns)
        yield Text(f"{label:>{axis}} |{cells}")


def _columns(values: Sequence[int], width: int) -> list[int]:
    """Fit values into at most ``width`` columns: each the most of its share, or a value over a few columns."""
    if len(values) <= width:
        each = min(WIDEST_COLUMN, width // max(len(values), 1))
        return [value for value in values for _ in range(each)]
    edges = [index * len(values) // width for index in range(width + 1)]
    return [max(values[start:end]) for start, end in itertools.pairwise(edges)]


def _indented(found: Iterable[Text]) -> Iterator[Text]:
    for line in found:
        yield Text.assemble(" " * LABEL, line)


def _widest(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)
