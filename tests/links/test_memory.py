"""What is remembered of addresses, and for how long."""

from __future__ import annotations

import json

import pytest

from grader.links import Answer, Memory

GOOD = Answer("https://a.org", "ok", "200 OK")
MOVED = Answer("https://b.org", "moved", "200 OK", "https://c.org")


def remembered(text: str, now: float = 0.0) -> list[Answer | None]:
    memory = Memory(text, max_age=10, now=now)
    return [memory.recall(answer.url) for answer in (GOOD, MOVED)]


def test_only_what_was_good_is_kept() -> None:
    bad = [Answer("https://d.org", "broken", "404 Not Found"), Answer("https://e.org", "unknown", "no answer in time")]
    text = Memory("", max_age=10, now=0).with_answers([GOOD, MOVED, *bad])
    assert remembered(text) == [GOOD, MOVED]
    assert list(json.loads(text)["answers"]) == [GOOD.url, MOVED.url]


@pytest.mark.parametrize(("now", "kept"), [(0, True), (10, True), (10.5, False), (-1, False)])
def test_age(now: float, kept: bool) -> None:
    text = Memory("", max_age=10, now=0).with_answers([GOOD, MOVED])
    assert remembered(text, now) == ([GOOD, MOVED] if kept else [None, None])


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[" * 100_000,
        "[]",
        '{"format": 0, "answers": {}}',
        '{"format": 1, "answers": []}',
        '{"format": 1, "answers": {"https://a.org": {"status": "broken", "reason": "", "at": 0, "location": null}}}',
        '{"format": 1, "answers": {"https://a.org": {"status": "ok", "at": 0, "location": null}}}',
        '{"format": 1, "answers": {"https://a.org": {"status": "ok", "reason": "", "at": "0", "location": null}}}',
    ],
)
def test_what_is_malformed_is_asked_again(text: str) -> None:
    assert remembered(text) == [None, None]
