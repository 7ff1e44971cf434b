"""Commands to GitHub's workflows: lines that begin with ``::``, in what a step prints."""

from __future__ import annotations

from collections.abc import Mapping

from grader.report._learner_text import escape


def command(name: str, properties: Mapping[str, str | int | None], message: str) -> str:
    """A command of one line, whatever is in its ``message`` and ``properties``; those that are None are left out.

    >>> command("error", {"file": "a,b.py", "line": 3, "col": None}, "100%:\\nless")
    '::error file=a%2Cb.py,line=3::100%25:%0Aless'
    """
    given = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{name}{' ' if given else ''}{given}::{_data(message)}"


def _data(text: str) -> str:
    return escape(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
