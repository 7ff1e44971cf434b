"""The report as one web page, complete in itself: no script, nothing from elsewhere."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

from grader import pictures
from grader.report import Options, _words
from grader.report._learner_text import lines, one_line
from grader.report._markup import css_class, document, inline, prose, table, track
from grader.results import Criterion, Difference, Function, Grade, Held, Memory, RankTable, Status, Timeline, Ungraded

EVENTS_HEAD, EVENTS_TAIL, EVENTS_SHOWN = 120, 40, 200
_GROUPS: Sequence[Status] = ("blocked", "todo", "passed")
_DEFAULT = Options()


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade`` with everything that is known; what a reader may ask of other formats is always there."""
    return document(f"{grade.exercise}: {_words.score(grade)}", _Page(grade).parts())


def render_ungraded(ungraded: Ungraded) -> str:
    """Render why there is no grade."""
    parts = (
        f'<header>\n<p class="exercise">{inline(ungraded.exercise)}</p>\n<h1>{inline(ungraded.title)}</h1>\n'
        '<p class="score">not graded</p>\n</header>\n',
        f'<main>\n<section class="next" aria-label="Result"><p>{inline(ungraded.reason)}.</p></section>\n</main>\n',
    )
    return document(f"{ungraded.exercise}: not graded", parts)


class _Page:
    """The parts of one page."""

    def __init__(self, grade: Grade) -> None:
        self.grade = grade
        self.ids = {criterion.id: f"criterion-{place}" for place, criterion in enumerate(grade.criteria)}

    def parts(self) -> Iterator[str]:
        grade = self.grade
        yield '<a class="skip" href="#functions">Skip to the functions</a>\n'
        yield (
            f'<header>\n<p class="exercise">{inline(grade.exercise)}</p>\n<h1>{inline(grade.title)}</h1>\n'
            f'<p class="score">{inline(_words.score(grade))}</p>\n'
        )
        yield "".join(f"<p>{inline(sentence)}</p>\n" for sentence in (_words.summary(grade), *_words.left_out(grade)))
        yield "</header>\n<main>\n"
        if grade.notes:
            notes = "".join(f"<p>{inline(note)}</p>" for note in grade.notes)
            yield f'<section class="note" aria-label="Notes on the files">{notes}</section>\n'
        yield from self._next()
        yield from self._functions()
        for function in grade.functions:
            yield from self._function(function)
        yield "</main>\n"
        yield from self._footer()

    def _next(self) -> Iterator[str]:
        said, step = _words.verdict(self.grade), self.grade.next
        if said is not None:
            yield f'<section class="next" aria-label="Result"><p>{inline(said)}</p></section>\n'
        elif step is not None:
            word = "Begin" if _words.begins(self.grade) else "Next"
            target = self.ids.get(step.criterion)
            text = prose(step.text) if target is None else f'<a href="#{target}">{prose(step.text)}</a>'
            yield (
                f'<section class="next" aria-label="Next step"><p><strong>{word}:</strong> {text}, then</p>\n'
                f'<p><code class="command">{inline(step.command)}</code></p>\n'
                f"<p>Stuck? <code>{inline(_words.hint_command(step))}</code></p></section>\n"
            )

    def _functions(self) -> Iterator[str]:
        rows = []
        for place, function in enumerate(self.grade.functions):
            share = 0 if self.grade.faulty or not function.points else function.earned / function.points
            cells = [f'<th scope="row"><a href="#function-{place}">{inline(function.name)}</a></th>']
            if not self.grade.faulty:
                points = f"{_words.points(function.earned)} of {_words.points(function.points)}"
                cells += [f'<td class="bar">{track(float(share))}</td>', f'<td class="number">{points}</td>']
            cells.append(f"<td>{inline(_words.counts(function.statuses, bare=True))}</td>")
            rows.append(cells)
        heads = [("", "function"), ("bar", ""), ("number", "points"), ("", "criteria")]
        if self.grade.faulty:
            heads = [heads[0], heads[-1]]
        yield '<section aria-labelledby="functions"><h2 id="functions">Functions</h2>\n'
        yield table("functions", "Points and criteria of each function", heads, rows)
        yield "</section>\n"

    def _function(self, function: Function) -> Iterator[str]:
        place = self.grade.functions.index(function)
        criteria = [criterion for criterion in self.grade.criteria if criterion.function == function.name]
        yield (
            f'<section aria-labelledby="function-{place}"><h2 id="function-{place}">'
            f'<code>{inline(function.name)}</code> <span class="id">{inline(function.file)}</span></h2>\n'
        )
        for criterion in criteria:
            if criterion.status in _words.PROBLEMS:
                yield from self._problem(criterion)
        for status in _GROUPS:
            yield from self._group(status, [criterion for criterion in criteria if criterion.status == status])
        yield "</section>\n"

    def _group(self, status: Status, criteria: Sequence[Criterion]) -> Iterator[str]:
        """The criteria of a status that have little to say; each with a picture has a fold of its own."""
        pictured = [criterion for criterion in criteria if criterion.detail is not None]
        plain = [criterion for criterion in criteria if criterion.detail is None]
        if plain:
            items = "".join(f"<li{self._id(each)}>{self._line(each)}</li>\n" for each in plain)
            summary = f"{len(plain)} {_words.COUNTED[status]}"
            yield f'<details class="card {status}"><summary>{summary}</summary>\n<ul>\n{items}</ul></details>\n'
        for criterion in pictured:
            summary = f"{_words.COUNTED[status].capitalize()}: {prose(criterion.title)}"
            yield (
                f'<details class="card {status}"{self._id(criterion)}><summary>{summary}</summary>\n'
                f'<p class="soft">{self._worth(criterion)}</p>\n{self._detail(criterion)}</details>\n'
            )

    def _line(self, criterion: Criterion) -> str:
        return f'{prose(criterion.title)} <span class="soft">({self._worth(criterion)})</span>'

    def _worth(self, criterion: Criterion) -> str:
        parts = [inline(criterion.id)]
        if not self.grade.faulty:
            parts.append(f"{_words.points(criterion.earned)} of {_words.points(criterion.points)} points")
        if criterion.cases.total > 1:
            parts.append(f"{criterion.cases.passed} of {criterion.cases.total} cases")
        if criterion.visibility != "visible":
            parts.append("hidden")
        if criterion.blocked_by:
            parts.append(f"needs {inline(_words.listed(criterion.blocked_by))}")
        return ", ".join(parts)

    def _id(self, criterion: Criterion) -> str:
        return f' id="{self.ids[criterion.id]}"'

    # A criterion that was not earned.

    def _problem(self, criterion: Criterion) -> Iterator[str]:
        id = self.ids[criterion.id]
        yield (
            f'<article class="{criterion.status}" id="{id}" aria-labelledby="{id}-title"><h3 id="{id}-title">'
            f'<span class="word {criterion.status}">{_words.PROBLEMS[criterion.status]}</span> '
            f'{prose(criterion.title)} <span class="id">{self._worth(criterion)}</span></h3>\n<dl class="fields">\n'
        )
        yield "".join(f"<dt>{name}</dt><dd>{content}</dd>\n" for name, content in self._fields(criterion))
        yield f"</dl>\n{self._detail(criterion)}"
        if criterion.output:
            yield f'<dl class="fields"><dt>printed</dt><dd>{_block(lines(criterion.output))}</dd></dl>\n'
        if criterion.hint:
            yield f'<dl class="fields"><dt>hint</dt><dd>{prose(criterion.hint)}</dd></dl>\n'
        yield "</article>\n"

    def _fields(self, criterion: Criterion) -> Iterator[tuple[str, str]]:
        called, actual = _words.called(criterion), _words.actual(criterion)
        if called is not None:
            yield "called", f"<code>{html.escape(called)}</code>"
        if criterion.expected is not None:
            yield "expected", _block(lines(criterion.expected))
        if actual:
            yield "got", _block(actual)
        if criterion.message is not None and not actual:
            yield "why", _block(lines(criterion.message))
        if criterion.status == "error":
            yield "fault", inline(_words.FAULT)
        if criterion.where is not None:
            yield "at", _place(_words.place(criterion.where, "\n"))

    def _detail(self, criterion: Criterion) -> str:
        match criterion.detail:
            case RankTable():
                return _rank_table(criterion.detail)
            case Memory():
                return _memory(criterion.detail)
            case Difference():
                return _difference(criterion.detail)
            case Timeline():
                return _timeline(criterion.detail, self.ids[criterion.id])
            case None:
                return ""

    def _footer(self) -> Iterator[str]:
        grade = self.grade
        yield "<footer>\n"
        yield f"<p>Seed {grade.seed}. {grade.seconds:.2f} s.</p>\n"
        versions = ", ".join(f"{name} {version}" for name, version in grade.versions.items())
        if versions:
            yield f"<p>Versions: {inline(versions)}.</p>\n"
        yield f"<p>Fences: {inline(', '.join(grade.fences) or 'none')}.</p>\n"
        missing = "".join(
            f"<li>{inline(each.name)} is missing: {inline(each.reason)}</li>" for each in grade.missing_fences
        )
        if missing:
            yield f"<ul>{missing}</ul>\n"
        yield "</footer>\n"


def _block(shown: Iterable[str]) -> str:
    """Lines that are safe to show already, as they are."""
    return f'<pre dir="ltr">{html.escape(chr(10).join(shown))}</pre>'


def _place(shown: str) -> str:
    """A place and, below it, its line."""
    where, _, source = shown.partition("\n")
    return f"<code>{html.escape(where)}</code>" + (f"\n{_block([source])}" if source else "")


def _cells(texts: Iterable[str]) -> list[str]:
    return [f"<td>{html.escape(text)}</td>" for text in texts]


def _count(count: int) -> str:
    return f'<td class="number">{count:,}</td>'


def _rank_table(ranks: RankTable) -> str:
    hidden = _words.ranks_left_out(len(ranks.rows))
    rows = []
    for index, row in enumerate(ranks.rows):
        if index not in hidden:
            rows.append(_cells(_words.rank_cells(row)))
        elif index == hidden[0]:
            rows.append([f'<td colspan="{len(_words.RANK_COLUMNS)}">... {len(hidden):,} ranks left out ...</td>'])
    return table("ranks", "What each rank was doing", [("", head) for head in _words.RANK_COLUMNS], rows)


def _memory(memory: Memory) -> str:
    most = max([count for _, count in memory.points] + [memory.bound or 0, 1])
    bound = None if memory.bound is None else min(memory.bound / most, 0.99)
    over = _words.too_many(memory)
    rows = []
    for index, (name, count) in enumerate(memory.points):
        more = f'<td class="over">{over[1]:,} too many</td>' if over is not None and index == over[0] else "<td></td>"
        bar = f'<td class="bar">{track(count / most, bound)}</td>'
        rows.append([f'<th scope="row">{inline(name)}</th>', bar, _count(count), more])
    allowed = "" if memory.bound is None else f", at most {memory.bound:,} allowed: the dashed line"
    heads = [("", "moment"), ("bar", ""), ("number", inline(memory.unit)), ("", "")]
    return table("memory", f"Memory{allowed}", heads, rows) + (_held(memory.held) if memory.held else "")


def _held(held: Sequence[Held]) -> str:
    rows = []
    for each in held[: _words.HELD_SHOWN]:
        where = "<td>-</td>" if each.place is None else f"<td>{_place(_words.place(each.place, chr(10)))}</td>"
        rows.append([_count(each.bytes), where])
    if len(held) > _words.HELD_SHOWN:
        left_out = len(held) - _words.HELD_SHOWN
        rows.append([f'<td colspan="2">... {left_out:,} more allocations left out ...</td>'])
    return table("held", "Still held", [("number", "bytes"), ("", "allocated at")], rows)


def _difference(difference: Difference) -> str:
    same, expected, actual = _words.first_difference(difference)
    fields = "".join(
        f'<dt>{name}</dt><dd><pre dir="ltr">{html.escape(text[:same])}'
        f"<mark>{html.escape(text[same:])}</mark></pre></dd>"
        for name, text in (("expected", expected), ("got", actual))
    )
    return f'<p>{html.escape(_words.difference_at(difference).capitalize())}</p>\n<dl class="fields">{fields}</dl>\n'


def _timeline(timeline: Timeline, id: str) -> str:
    drawn = pictures.memory(timeline, f"{id}-memory")
    if timeline.spans:
        drawn += pictures.streams(timeline, f"{id}-streams")
    numbers = f'<details class="events"><summary>The numbers</summary>\n{_events(timeline)}</details>'
    return f"<figure>{drawn}</figure>\n{numbers}\n"


def _events(timeline: Timeline) -> str:
    """The table behind the picture."""
    count = len(timeline.bytes)
    hidden = range(EVENTS_HEAD, count - EVENTS_TAIL) if count > EVENTS_SHOWN else range(0)
    columns = [("number", "event", [f"{index + 1:,}" for index in range(count)])]
    columns += [("", "what", list(map(one_line, timeline.labels)))] if len(timeline.labels) == count else []
    if len(timeline.places) == count:
        places = ["" if place is None else _words.place(place, ": ") for place in timeline.places]
        columns.append(("", "your line", places))
    for name, counts in (("bytes", timeline.bytes), *timeline.parts):
        columns.append(("number", inline(name), [f"{each:,}" for each in counts]))
    rows = []
    for index in range(count):
        if index not in hidden:
            rows.append([f"<td{css_class(kind)}>{html.escape(texts[index])}</td>" for kind, _, texts in columns])
        elif index == hidden[0]:
            rows.append([f'<td colspan="{len(columns)}">... {len(hidden):,} events left out ...</td>'])
    heads = [(kind, head) for kind, head, _ in columns]
    return table("numbers", f"Rank {timeline.rank}: bytes after each event", heads, rows)
