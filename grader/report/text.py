"""The report for people: plain text, or with colour in a terminal."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from grader.report import Options
from grader.report._learner_text import lines as learner_lines
from grader.report._learner_text import one_line
from grader.results import Criterion, Difference, Function, Grade, Memory, Place, RankTable, Status, Timeline

NARROWEST, WIDEST = 60, 100
LABEL = 12
BAR, MEMORY_BAR = 16, 25
CHART_ROWS, WIDEST_COLUMN = 6, 4
RANKS_HEAD, RANKS_TAIL, RANKS_SHOWN = 10, 2, 16
HELD_SHOWN = 5
SHOWN_A_FUNCTION = 3

_DEFAULT = Options()
_COUNTED: Mapping[Status, str] = {
    "passed": "passed",
    "failed": "failed",
    "timeout": "timed out",
    "error": "broken in the suite",
    "blocked": "blocked",
    "todo": "not written yet",
}
_STYLES: Mapping[Status, str] = {
    "passed": "green",
    "failed": "bold red",
    "timeout": "bold red",
    "error": "bold magenta",
    "blocked": "yellow",
    "todo": "dim",
}
_PROBLEMS: Mapping[Status, str] = {"failed": "FAILED", "timeout": "TIMEOUT", "error": "ERROR"}


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` for a reader, at most 100 columns wide."""
    console = Console(
        file=io.StringIO(),
        width=max(NARROWEST, min(options.width, WIDEST)),
        force_terminal=options.colour,
        color_system="standard" if options.colour else None,
        no_color=not options.colour,
        highlight=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        for line in _Report(grade, options, console).lines():
            line.rstrip()
            console.print(line, soft_wrap=True)
    return capture.get()


class _Report:
    """The lines of one report, in parts."""

    def __init__(self, grade: Grade, options: Options, console: Console) -> None:
        self.grade = grade
        self.options = options
        self.console = console
        self.width = console.width

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
        if self.grade.faulty:
            return self._ends(left, Text("no score", "bold magenta"))
        points = f"{_points(self.grade.earned)} of {_points(self.grade.points)} points"
        return self._ends(left, Text(points, "bold green" if self.grade.complete else "bold"))

    def _functions(self) -> Iterator[Text]:
        functions = self.grade.functions
        name = _widest(function.name for function in functions)
        earned = _widest(_points(function.earned) for function in functions)
        worth = _widest(_points(function.points) for function in functions)
        for function in functions:
            line = Text.assemble("  ", (function.name.ljust(name), "bold"), "  ")
            if not self.grade.faulty:
                score = f"{_points(function.earned):>{earned}} of {_points(function.points):>{worth}}"
                line += Text.assemble(_bar(function), f"  {score}   ")
            yield from self._hanging(line, _counts(function.statuses, bare=True))
            if self.options.verbose:
                yield from self._criteria(function)

    def _criteria(self, function: Function) -> Iterator[Text]:
        criteria = [criterion for criterion in self.grade.criteria if criterion.function == function.name]
        status = _widest(criterion.status for criterion in self.grade.criteria)
        worth = _widest(_points(criterion.points) for criterion in criteria)
        for criterion in criteria:
            line = Text.assemble("    ", (criterion.status.ljust(status), _STYLES[criterion.status]), "  ")
            if not self.grade.faulty:
                line += Text(f"{_points(criterion.earned):>{worth}} of {_points(criterion.points):>{worth}}  ")
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
                if criterion.function == function.name and criterion.status in _PROBLEMS
            ]
            shown = found if self.options.verbose else found[:SHOWN_A_FUNCTION]
            for criterion in shown:
                yield criterion, len(found) - len(shown) if criterion is shown[-1] else 0

    def _problem(self, criterion: Criterion) -> Iterator[Text]:
        word = _PROBLEMS[criterion.status]
        left = Text.assemble((word.ljust(8), _STYLES[criterion.status]), f"{criterion.function}: {criterion.title}")
        yield self._ends(left, Text(criterion.id, "dim"))
        called = _called(criterion)
        if called is not None:
            yield from self._field("called", [called])
        if criterion.expected is not None:
            yield from self._field("expected", learner_lines(criterion.expected))
        actual = _actual(criterion)
        if actual:
            yield from self._field("got", actual)
        if criterion.message is not None and (not actual or criterion.status == "timeout"):
            yield from self._field("why", learner_lines(criterion.message))
        if criterion.status == "error":
            yield from self._field("fault", ["the suite is broken here, not your code; nothing is scored"])
        yield from self._detail(criterion)
        if criterion.where is not None and not _places_shown(criterion):
            yield from self._field("at", [_place(criterion.where, ", ")])
        if criterion.output:
            yield from self._field("printed", learner_lines(criterion.output))
        if criterion.hint:
            yield from self._field("hint", [one_line(criterion.hint)])

    def _detail(self, criterion: Criterion) -> Iterator[Text]:
        match criterion.detail:
            case RankTable():
                yield from _indented(_rank_table(criterion.detail, self.width - LABEL))
            case Memory():
                yield from _indented(_memory(criterion.detail))
                for held in criterion.detail.held[:HELD_SHOWN]:
                    text = f"{held.bytes:,} bytes"
                    if held.place is None:
                        yield from self._field("held", [text])
                    else:
                        source = [] if held.place.source is None else [one_line(held.place.source)]
                        where = f"{text}, allocated at {one_line(held.place.file)}:{held.place.line}"
                        yield from self._field("held", [where, *source])
                if len(criterion.detail.held) > HELD_SHOWN:
                    left_out = len(criterion.detail.held) - HELD_SHOWN
                    yield from self._field("", [f"... {left_out:,} more allocations left out ..."])
            case Difference():
                yield from _indented(_difference(criterion.detail))
            case Timeline():
                yield from self._timeline(criterion.detail)

    def _timeline(self, timeline: Timeline) -> Iterator[Text]:
        yield from self._field("memory", [_timeline_title(timeline)])
        yield from _indented(_chart(timeline, self.width - LABEL))

    def _passed_timelines(self) -> Iterator[Text]:
        for criterion in self.grade.criteria:
            if criterion.status == "passed" and isinstance(criterion.detail, Timeline):
                yield Text()
                left = Text.assemble(("PASSED  ", "green"), f"{criterion.function}: {criterion.title}")
                yield self._ends(left, Text(criterion.id, "dim"))
                yield from self._timeline(criterion.detail)

    # The end: what there was, what was left out, what to do next.

    def _summary(self) -> Iterator[Text]:
        criteria = self.grade.criteria
        counted: dict[Status, int] = {}
        for criterion in criteria:
            counted[criterion.status] = counted.get(criterion.status, 0) + 1
        noun = "criterion" if len(criteria) == 1 else "criteria"
        counts = f": {_counts(counted)}" if criteria else ""
        yield from self._wrap(f"{len(criteria)} {noun}{counts}. {self.grade.seconds:.2f} s, seed {self.grade.seed}.")
        for sentence in self._left_out():
            yield from self._wrap(sentence)

    def _left_out(self) -> Iterator[str]:
        hidden = sum(criterion.visibility != "visible" for criterion in self.grade.criteria)
        elsewhere = self.grade.elsewhere
        if self.grade.only:
            yield f"Only {_and(self.grade.only)} was graded: this is not the whole exercise."
        if hidden:
            yield f"Hidden criteria: {hidden}. Their inputs and expected values are not shown."
        if elsewhere.criteria:
            yield f"Graded elsewhere: {elsewhere.criteria} more, worth {_points(elsewhere.points)} points."

    def _fences(self) -> Iterator[Text]:
        """What kept the learner's code apart, and what could not be had for it."""
        yield Text()
        yield from self._hanging(Text("Fences ", "bold"), ", ".join(self.grade.fences) or "none")
        for each in self.grade.missing_fences:
            yield from self._hanging(Text("       ", "bold"), f"{each.name} is missing: {one_line(each.reason)}")

    def _closing(self) -> Iterator[Text]:
        if self.grade.faulty:
            yield Text()
            yield from self._wrap("The suite is at fault, so there is no score. Your work is as it was.")
        elif self.grade.next is not None:
            step = self.grade.next
            begin = all(criterion.status == "todo" for criterion in self.grade.criteria)
            yield Text()
            label = Text("Begin  " if begin else "Next   ", "bold")
            yield from self._hanging(label, f"{one_line(step.text)}, then")
            yield Text.assemble("       ", (step.command, "bold cyan"))
            asked = step.command.replace("course grade", "course hint", 1).replace("--only ", "", 1)
            yield Text.assemble(("Stuck? ", "bold"), (asked, "cyan"))
        elif all(criterion.status == "passed" for criterion in self.grade.criteria):
            yield Text()
            whole = self.grade.criteria and not any(self._left_out())
            yield Text("Done: every criterion passed." if whole else "Nothing to mend in what is shown here.", "green")

    # Layout.

    def _ends(self, left: Text, right: Text) -> Text:
        """Put ``left`` and ``right`` at the two ends of a line, or of two if they do not fit."""
        room = self.width - cell_len(left.plain) - cell_len(right.plain)
        if room >= 2:
            return Text.assemble(left, " " * room, right)
        return Text.assemble(left, "\n", " " * (self.width - cell_len(right.plain)), right)

    def _field(self, label: str, paragraphs: Sequence[str]) -> Iterator[Text]:
        head = Text(f"  {label}".ljust(LABEL), "dim")
        for paragraph in paragraphs:
            yield from self._hanging(head, paragraph)
            head = Text(" " * LABEL)

    def _hanging(self, head: Text, text: str) -> Iterator[Text]:
        """Wrap ``text`` after ``head``, its further lines indented as far as its first."""
        indent = cell_len(head.plain)
        for line in Text(text).wrap(self.console, self.width - indent, overflow="fold"):
            yield Text.assemble(head, line)
            head = Text(" " * indent)

    def _wrap(self, text: str) -> Iterator[Text]:
        return self._hanging(Text(), text)


def _points(points: Decimal) -> str:
    """Points with at most two decimals, never rounded up to what was not earned."""
    rounded = points.quantize(Decimal("0.01"), ROUND_DOWN)
    return f"{rounded.normalize():f}"


def _bar(function: Function) -> Text:
    share = function.earned / function.points if function.points else Decimal(0)
    full = round(share * BAR)
    if 0 < share < 1:
        full = min(max(full, 1), BAR - 1)
    return Text.assemble(("#" * full, "green" if share == 1 else "yellow"), ("." * (BAR - full), "dim"))


def _counts(statuses: Mapping[Status, int], *, bare: bool = False) -> str:
    """Count in words; ``bare`` leaves the number out where nothing is written yet."""
    counted = [(statuses[status], words) for status, words in _COUNTED.items() if statuses.get(status)]
    if bare and counted and counted[0][1] == _COUNTED["todo"]:
        return _COUNTED["todo"]
    return ", ".join(f"{count} {words}" for count, words in counted)


def _called(criterion: Criterion) -> str | None:
    ranks = criterion.world_size
    where = None if ranks is None else f"on {ranks} {'rank' if ranks == 1 else 'ranks'}"
    if criterion.rank is not None and "rank" not in (criterion.actual or ""):
        where = f"on rank {criterion.rank}" if ranks is None else f"on rank {criterion.rank} of {ranks}"
    if criterion.call is None:
        return None if where is None else f"{criterion.function}, {where}"
    call = one_line(criterion.call)
    return call if where is None else f"{call}, {where}"


def _actual(criterion: Criterion) -> list[str]:
    if criterion.actual is None:
        return []
    shown = learner_lines(criterion.actual)
    passed, total = criterion.cases.passed, criterion.cases.total
    if shown and passed and passed < total:
        verb = "is" if passed == 1 else "are"
        shown[-1] += f"; {passed} of the {total} cases {verb} right"
    return shown


def _places_shown(criterion: Criterion) -> bool:
    """Whether the detail names the places in the learner's code by itself."""
    match criterion.detail:
        case RankTable(rows):
            return any(row.place is not None for row in rows)
        case Memory():
            return any(held.place is not None for held in criterion.detail.held)
        case _:
            return False


def _place(place: Place, separator: str) -> str:
    source = "" if place.source is None else separator + one_line(place.source)
    return f"{one_line(place.file)}:{place.line}{source}"


def _rank_table(table: RankTable, room: int) -> Iterator[Text]:
    rows = [("rank", "waits in", "shape", "dtype", "your line")]
    for row in table.rows:
        place = "-" if row.place is None else f"{one_line(row.place.file)}:{row.place.line}"
        shape = "-" if row.shape is None else str(row.shape)
        rows.append((str(row.rank), one_line(row.operation), shape, one_line(row.dtype or "-"), place))
    widths = [_widest(column) for column in zip(*rows, strict=True)]
    gap = "   " if sum(widths) + 2 + 3 * 3 <= room else "  "
    left_out = range(RANKS_HEAD + 1, len(rows) - RANKS_TAIL) if len(rows) > RANKS_SHOWN + 1 else range(0)
    for index, (rank, *cells) in enumerate(rows):
        if index not in left_out:
            padded = [cell.ljust(width) for cell, width in zip(cells, widths[1:], strict=True)]
            yield Text(f"{rank.ljust(widths[0])}  {gap.join(padded)}", "" if index else "dim")
        elif index == left_out[0]:
            yield Text(f"... {len(left_out):,} ranks left out ...", "dim")


def _memory(memory: Memory) -> Iterator[Text]:
    label = _widest(name for name, _ in memory.points)
    number = _widest(f"{count:,}" for _, count in memory.points)
    most = max((count for _, count in memory.points), default=0)
    above = [i for i, (_, count) in enumerate(memory.points) if memory.bound is not None and count > memory.bound]
    for index, (name, count) in enumerate(memory.points):
        length = round(MEMORY_BAR * count / most) if most else 0
        bar = ("#" * max(length, 1 if count else 0)).ljust(MEMORY_BAR)
        line = Text(f"{one_line(name).ljust(label)}  {bar} {count:>{number},} {memory.unit}")
        if above and index == above[-1] and memory.bound is not None:
            line.append(f"   {count - memory.bound:,} too many", "bold red")
        yield line


def _difference(difference: Difference) -> Iterator[Text]:
    expected, actual = one_line(difference.expected), one_line(difference.actual)
    same = 0
    while same < min(len(expected), len(actual)) and expected[same] == actual[same]:
        same += 1
    index = ", ".join(map(str, difference.index))
    at = f"first difference at [{index}]" if index else "the value differs"
    if difference.total > 1:
        at += f"; {difference.count:,} of {difference.total:,} elements differ"
    yield Text(at)
    yield Text(f"  expected  {expected}")
    yield Text(f"  got       {actual}")
    yield Text(" " * (12 + cell_len(actual[:same])) + "^", "bold red")


def _timeline_title(timeline: Timeline) -> str:
    peak = max(timeline.bytes, default=0)
    title = f"rank {timeline.rank}, peak {peak:,} bytes"
    if len(timeline.labels) == len(timeline.bytes) and peak:
        label = timeline.labels[timeline.bytes.index(peak)]
        title += f" at {one_line(label)}" if label else ""
    return title if timeline.bound is None else f"{title}, at most {timeline.bound:,} allowed"


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


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
