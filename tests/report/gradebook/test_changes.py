"""Changes as a table, and as lines for the terminal."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from grader.gradebook import Change
from grader.report.gradebook._cells import unguarded
from grader.report.gradebook.changes import lines, render
from tests.report.gradebook.classes import names, points

CHANGES = (
    Change("ada", "total", Decimal(8), Decimal("10.5")),
    Change("ada", "shard-uneven", None, Decimal("2.5"), "new criterion"),
    Change("bob", "shard-even", Decimal(0), Decimal(1)),
    Change("bob", "shard-old", Decimal(1), None, "vanished criterion"),
    Change("=c", "total", None, Decimal(0), "new row"),
    Change("d\n\x1b[2J", "total", None, None, "new row"),
    Change("eve", "total", Decimal("1E+1"), None, "vanished row"),
    Change("fay", "total", None, Decimal(3)),
    Change("fay", "earned", None, Decimal(3)),
)


def test_a_table_has_a_line_for_each_change() -> None:
    assert render(CHANGES).removeprefix("\ufeff").split("\r\n") == [
        "id,what,column,from,to",
        "ada,changed,total,8,10.5",
        "ada,new criterion,shard-uneven,,2.5",
        "bob,changed,shard-even,0,1",
        "bob,vanished criterion,shard-old,1,",
        "'=c,new row,total,,0",
        '"d\n\x1b[2J",new row,total,,',
        "eve,vanished row,total,10,",
        "fay,changed,total,,3",
        "fay,changed,earned,,3",
        "",
    ]


@given(st.lists(st.builds(Change, names, names, st.none() | points, st.none() | points)))
def test_a_table_reads_back(changes: list[Change]) -> None:
    _, *rows = csv.reader(io.StringIO(render(changes), newline=""), strict=True)
    read = [
        Change(unguarded(id), unguarded(column), *(Decimal(cell) if cell else None for cell in cells))
        for id, _, column, *cells in rows
    ]
    assert read == changes


def test_lines_say_who_from_what_to_what_and_by_what() -> None:
    assert lines(CHANGES) == [
        "6 rows changed:",
        "  ada: from 8 to 10.5 points (shard-uneven from none to 2.5)",
        "  bob: the same points (shard-even from 0 to 1, shard-old from 1 to none)",
        "  =c: new, 0 points",
        "  d\\n\\x1b[2J: new, no points yet",
        "  eve: no longer in the class, had 10 points",
        "  fay: from none to 3 points (earned from none to 3)",
        "New criteria: shard-uneven.",
        "Criteria that are gone: shard-old.",
    ]


def test_lines_are_few_and_say_how_many_are_left_out() -> None:
    assert lines(CHANGES, most=1) == [
        "6 rows changed:",
        "  ada: from 8 to 10.5 points (shard-uneven from none to 2.5)",
        "  and 5 more",
        "New criteria: shard-uneven.",
        "Criteria that are gone: shard-old.",
    ]
    assert lines(()) == ["No row changed."]
