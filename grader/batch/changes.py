"""What a new run made of a class's results: who changed, from what, to what, by which criterion."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from grader.gradebook import Change, ChangeKind, Gradebook, Record, Row


def find_changes(before: Sequence[Record], after: Gradebook) -> tuple[Change, ...]:
    """Compare the rows of an earlier gradebook with the new ones: in the order of the new, then those that are gone.

    A row that is new or gone is one change, of its total. A row graded both times has a change for each criterion, any
    other for what was ``earned`` in all.
    """
    known = {record.id: record for record in before}
    ids = {row.id for row in after.rows}
    criteria = [criterion.id for criterion in after.criteria]
    changes: list[Change] = []
    for row in after.rows:
        if row.id in known:
            changes += _changes(known[row.id], row, criteria)
        else:
            changes.append(Change(row.id, "total", None, row.total, "new row"))
    gone = (Change(each.id, "total", each.total, None, "vanished row") for each in before if each.id not in ids)
    return (*changes, *gone)


def _changes(old: Record, row: Row, criteria: Collection[str]) -> Iterator[Change]:
    if old.total != row.total:
        yield Change(row.id, "total", old.total, row.total)
    if old.adjustment != row.adjustment:
        yield Change(row.id, "adjustment", old.adjustment, row.adjustment)
    if old.earned is None or row.scores is None:
        if old.earned != row.earned:
            yield Change(row.id, "earned", old.earned, row.earned)
        return
    for criterion in dict.fromkeys((*criteria, *old.criteria)):
        score = row.scores.get(criterion)
        before, after = old.criteria.get(criterion), None if score is None else score.earned
        if before != after:
            yield Change(row.id, criterion, before, after, _kind(criterion, old, criteria))


def _kind(criterion: str, old: Record, criteria: Collection[str]) -> ChangeKind:
    if criterion not in old.criteria:
        return "new criterion"
    return "changed" if criterion in criteria else "vanished criterion"
