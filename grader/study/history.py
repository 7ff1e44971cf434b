"""What a learner has read, answered, done and had graded, as a list of events that can be read and written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Literal, get_args

SCHEMA = 1
Kind = Literal["read", "answered", "rep", "graded"]
# What can come of each kind; for a grade the points earned, of all there are.
_RESULTS: dict[str, re.Pattern[str]] = {
    "read": re.compile(""),
    "answered": re.compile("right|wrong"),
    "rep": re.compile("done|open"),
    "graded": re.compile(r"\d+(\.\d+)? of \d+(\.\d+)?"),
}


class BrokenHistory(Exception):
    """What should be a history is none."""


class NewerHistory(Exception):
    """A history that a newer version of the course has written."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened on a day, to a lesson or exercise (``lesson10``) or part of it (``lesson10#name``)."""

    day: date
    kind: Kind
    item: str
    result: str = ""

    @property
    def lesson(self) -> str:
        """The id before the ``#``."""
        return self.item.partition("#")[0]


@dataclass(frozen=True, slots=True)
class History:
    """Events, the oldest first."""

    events: tuple[Event, ...] = ()

    def add(self, event: Event) -> History:
        """The history with one event more, if that says anything that the last one on its item does not."""
        return self if self.last(event.kind, event.item) == event else History((*self.events, event))

    def of(self, kind: Kind, item: str) -> Iterator[Event]:
        """The events of a kind on an item."""
        return (event for event in self.events if event.kind == kind and event.item == item)

    def last(self, kind: Kind, item: str) -> Event | None:
        """The last event of a kind on an item."""
        return next((event for event in reversed(self.events) if event.kind == kind and event.item == item), None)

    def is_right(self, question: str) -> bool:
        """Whether a question was answered rightly the last time."""
        last = self.last("answered", question)
        return last is not None and last.result == "right"

    def is_done(self, rep: str) -> bool:
        """Whether a rep is ticked."""
        last = self.last("rep", rep)
        return last is not None and last.result == "done"

    def begun(self, lesson: str) -> date | None:
        """The day on which a lesson was first read, or anything in it answered or done."""
        return min((event.day for event in self.events if event.lesson == lesson), default=None)

    def write(self) -> str:
        """The history as JSON, an event a line.

        >>> print(History((Event(date(2026, 11, 30), "read", "lesson10"),)).write())
        {"schema": 1, "events": [
        {"day": "2026-11-30", "kind": "read", "item": "lesson10", "result": ""}
        ]}
        <BLANKLINE>
        """
        lines = [
            json.dumps(asdict(event) | {"day": event.day.isoformat()}, ensure_ascii=False) for event in self.events
        ]
        return '{"schema": 1, "events": [\n' + ",\n".join(lines) + "\n]}\n"

    @classmethod
    def parse(cls, content: bytes) -> History:
        """The history that ``write`` wrote; BrokenHistory, which says why, if it is none."""
        try:
            data = json.loads(content.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            raise BrokenHistory(str(error)) from None
        if not isinstance(data, dict) or not isinstance(data.get("events"), list):
            raise BrokenHistory("it is not a list of events")
        schema = data.get("schema")
        if type(schema) is int and schema > SCHEMA:
            raise NewerHistory(f"it has the form {schema}, and this version knows {SCHEMA}")
        return cls(tuple(_event(number, each) for number, each in enumerate(data["events"], 1)))


def _event(number: int, data: Any) -> Event:
    match data:
        case {"day": str(day), "kind": str(kind), "item": str(item), "result": str(result)} if kind in get_args(Kind):
            try:
                found = Event(date.fromisoformat(day), kind, item, result)  # type: ignore[arg-type]
            except ValueError as error:
                raise BrokenHistory(f"event {number}: {error}") from None
            if _RESULTS[kind].fullmatch(result):
                return found
    raise BrokenHistory(f"event {number} is none: {json.dumps(data)[:80]}")
