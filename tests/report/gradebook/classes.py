"""Classes to render: those in files, and any that could be."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from grader.gradebook import Adjustment, Gradebook, Person, Row, Score
from grader.results import STATUSES, Planned

FOLDER = Path(__file__).parents[2] / "cases" / "gradebooks"

PLANNED = tuple(
    Planned(f"{function}-{test}", function, f"{function} {test}", Decimal(points))
    for function, test, points in (("id", "even", "1"), ("id", "odd", "0.125"), ("total", "all", "2.50"))
)
names = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.text("=+-@'\t\r\n\",;\\a ", max_size=6),
)
points = st.decimals(min_value=-(10**6), max_value=10**6, allow_nan=False, places=6) | st.sampled_from(
    [Decimal("1E+1"), Decimal("-0"), Decimal("2.50"), Decimal("1E-6")]
)
scores = st.fixed_dictionaries(
    {each.id: st.builds(Score, st.sampled_from(STATUSES), points.map(abs)) for each in PLANNED}
)
adjustments = st.lists(st.builds(Adjustment, points, names), max_size=2).map(tuple)


@st.composite
def gradebooks(draw: st.DrawFn) -> Gradebook:
    """Any class in one exercise, its functions named like columns of a gradebook."""
    ids = draw(st.lists(names, max_size=4, unique=True))
    people = draw(st.booleans())
    rows = []
    for id in ids:
        person = Person(id, {"name": draw(names)}) if people else None
        source, graded = draw(st.none() | names), draw(st.none() | scores)
        rows.append(Row(id, source, graded, 0.5, draw(st.none() | names), (draw(names),), draw(adjustments), person))
    return Gradebook("lesson10", "Shard", PLANNED, tuple(rows))


def read_class(folder: Path) -> Gradebook:
    """The class of a folder of examples."""
    data = json.loads((folder / "class.json").read_text("utf-8"))
    criteria = tuple(Planned(**each | {"points": Decimal(each["points"])}) for each in data["criteria"])
    return Gradebook(data["exercise"], data["title"], criteria, tuple(map(_row, data["rows"])))


def rostered(*people: dict[str, str]) -> Gradebook:
    """A class of people r0, r1, … with these columns of a roster and no points, and one who was absent."""
    rows = (Row(f"r{at}", "x", {}, person=Person(f"r{at}", columns)) for at, columns in enumerate(people))
    return Gradebook("lesson10", "Shard", (), (*rows, Row("absent", None, None, person=Person("absent", {}))))


def _row(data: dict[str, Any]) -> Row:
    scored, person = data["scores"], data.get("person")
    return Row(
        data["id"],
        data["source"],
        None if scored is None else {id: Score(status, Decimal(earned)) for id, (status, earned) in scored.items()},
        data.get("seconds", 0.0),
        data.get("reason"),
        tuple(data.get("notes", ())),
        tuple(Adjustment(Decimal(points), note) for points, note in data.get("adjustments", ())),
        None if person is None else Person(data["id"], person),
    )
