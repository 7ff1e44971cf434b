"""What addresses answered not long ago, so that a run does not ask them all again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .answer import Answer

FORMAT = 1
# Only what was good is believed for a while: what was not may be mended any moment.
_KEPT = ("ok", "moved")


class Memory:
    """Answers with their time, as one JSON text. ``max_age`` is in seconds.

    >>> memory = Memory("", max_age=60, now=1000.0)
    >>> later = Memory(memory.with_answers([Answer("https://a.org", "ok", "200 OK")]), max_age=60, now=1050.0)
    >>> later.recall("https://a.org")
    Answer(url='https://a.org', status='ok', reason='200 OK', location=None)
    >>> Memory(later.with_answers([]), max_age=60, now=1061.0).recall("https://a.org") is None
    True
    """

    def __init__(self, text: str, *, max_age: float, now: float) -> None:
        self._now = now
        self._answers = {url: kept for url, kept in _read(text).items() if 0 <= now - kept["at"] <= max_age}

    def recall(self, url: str) -> Answer | None:
        """What ``url`` answered, if that is not too long ago."""
        kept = self._answers.get(url)
        return None if kept is None else Answer(url, kept["status"], kept["reason"], kept["location"])

    def with_answers(self, answers: Iterable[Answer]) -> str:
        """The text to keep for next time: what is still fresh, and ``answers`` as of now."""
        fresh = {
            answer.url: {
                "status": answer.status,
                "reason": answer.reason,
                "location": answer.location,
                "at": self._now,
            }
            for answer in answers
            if answer.status in _KEPT
        }
        return json.dumps({"format": FORMAT, "answers": {**self._answers, **fresh}}, indent=1, sort_keys=True)


def _read(text: str) -> Mapping[str, Any]:
    """The answers in a text; none of what is malformed, for it can be asked again."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("answers"), dict):
        return {}
    return {url: kept for url, kept in data["answers"].items() if _is_kept(kept)}


def _is_kept(kept: Any) -> bool:
    return (
        isinstance(kept, dict)
        and kept.get("status") in _KEPT
        and isinstance(kept.get("reason"), str)
        and isinstance(kept.get("at"), int | float)
        and isinstance(kept.get("location"), str | None)
    )
