"""A history as text and back, and what is no history."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.study import BrokenHistory, Event, History, NewerHistory

DAY = date(2026, 11, 30)
RESULTS = {"read": [""], "answered": ["right", "wrong"], "rep": ["done", "open"], "graded": ["52 of 100", "1.5 of 3"]}
EVENTS = st.sampled_from(sorted(RESULTS)).flatmap(
    lambda kind: st.builds(
        Event,
        day=st.dates(),
        kind=st.just(kind),
        item=st.text(st.characters(exclude_categories=["Cs"])),
        result=st.sampled_from(RESULTS[kind]),
    )
)


@given(st.lists(EVENTS))
def test_what_is_written_is_read(events: list[Event]) -> None:
    history = History(tuple(events))
    assert History.parse(history.write().encode()) == history


def test_an_event_is_one_line() -> None:
    history = History((Event(DAY, "answered", "lesson10#a", "right"), Event(DAY, "rep", "lesson10#b\n", "done")))
    assert len(history.write().splitlines()) == len(history.events) + 2


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "Expecting value: line 1 column 1"),
        (b'{"schema": 1, "events": [', "line 1 column 26"),
        (b"\xff\xfe", "can't decode byte 0xff"),
        (b"[" * 100_000, "recursion"),
        (b"[]", "not a list of events"),
        (b'{"schema": 1}', "not a list of events"),
        (b'{"schema": 1, "events": [1]}', "event 1 is none: 1"),
        (
            b'{"events": [{"day": "2026-11-31", "kind": "read", "item": "a", "result": ""}]}',
            "event 1: day is out of range",
        ),
        (b'{"events": [{"day": "2026-11-30", "kind": "red", "item": "a", "result": ""}]}', "event 1 is none"),
        (b'{"events": [{"day": "2026-11-30", "kind": "rep", "item": "a", "result": "right"}]}', "event 1 is none"),
        (b'{"events": [{"day": "2026-11-30", "kind": "graded", "item": "a", "result": "of"}]}', "event 1 is none"),
        (b'{"events": [{"day": "2026-11-30", "kind": "read", "item": "a"}]}', "event 1 is none"),
    ],
)
def test_what_is_no_history_says_why(content: bytes, why: str) -> None:
    with pytest.raises(BrokenHistory, match=why.replace("[", r"\[")):
        History.parse(content)


def test_a_newer_form_is_not_broken() -> None:
    with pytest.raises(NewerHistory, match="the form 2"):
        History.parse(b'{"schema": 2, "events": [{"new": true}]}')


def test_what_says_nothing_new_is_not_added() -> None:
    right, wrong = (Event(DAY, "answered", "lesson10#a", result) for result in ("right", "wrong"))
    other = Event(DAY, "answered", "lesson10#b", "right")
    history = History()
    for event in (right, other, right, wrong, right):
        history = history.add(event)
    assert history.events == (right, other, wrong, right)
    assert history.last("answered", "lesson10#a") == right
    assert list(history.of("answered", "lesson10#a")) == [right, wrong, right]


def test_a_lesson_begins_with_the_first_that_is_done_in_it() -> None:
    later = date(2026, 12, 2)
    history = History(
        (Event(later, "read", "lesson10"), Event(DAY, "rep", "lesson10#a", "done"), Event(DAY, "read", "lesson1"))
    )
    assert history.begun("lesson10") == DAY
    assert history.begun("lesson2") is None
