"""Turns what happened in the cases of a criterion into one result with words for the learner."""

from __future__ import annotations

import errno
import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from grader.authoring.criteria import Failed, Terms
from grader.authoring.signatures import Signature
from grader.authoring.trouble import StudentError, Trouble
from grader.devices import DeviceError
from grader.limits import Limits
from grader.results import Cases, Criterion, Detail, Memory, Place, RankRow, RankTable, Status, Timeline

from .sources import definition, source_line

WORST_FIRST: Sequence[Status] = ("error", "timeout", "failed", "todo")
TODO = "Not written yet: it raises NotImplementedError."
RANK_ERRORS = ("MismatchError", "HangError")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case. ``fields`` are those of Criterion that explain it."""

    status: Status
    seconds: float
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What was going on when a case ended: the last call, what was printed; and what it is held against."""

    call: str | None = None
    world_size: int | None = None
    output: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    suite: Path = Path()
    limits: Limits = field(default_factory=Limits)


def passed(seconds: float, detail: Detail | None, files: Mapping[str, bytes]) -> Outcome:
    """The outcome of a case that ended well."""
    return Outcome("passed", seconds, {} if detail is None else {"detail": _checked(detail, files)})


def outcome_of(error: BaseException, seconds: float, terms: Terms, now: Circumstances) -> Outcome:
    """The outcome of a case that ended with ``error``."""
    fields: dict[str, Any] = {"call": now.call, "world_size": now.world_size, "output": now.output}
    status: Status = "failed"
    function = terms.function
    if isinstance(error, Failed):
        told = ("message", "call", "world_size", "rank", "expected", "actual", "detail", "where", "hint")
        fields |= {name: getattr(error, name) for name in told if getattr(error, name) is not None}
    elif isinstance(error, StudentError):
        function = error.trouble.function
        claimed = error.trouble.rows[: now.world_size or 0]  # A worker may tell of ranks that there are not.
        rows = tuple(replace(row, place=_there(row.place, now.files)) for row in claimed)
        trouble = replace(error.trouble, where=_there(error.trouble.where, now.files), rows=rows)
        status, explained = _explain(trouble, now)
        fields |= explained
    elif isinstance(error, DeviceError):
        # The suite looked at an array that the learner's code returned, freed or too large to look at.
        fields |= {"message": f"{function} returned an array that cannot be used.", "actual": error.message}
    elif isinstance(error, AssertionError):
        fields["message"] = str(error) or "The check failed."
    elif isinstance(error, pytest.fail.Exception):
        text = str(error.msg)
        raised = text.removeprefix("DID NOT RAISE ")
        fields["message"] = text if raised == text else f"{function} did not raise the error that is due."
    else:
        place = suite_place(error, now.suite)
        return Outcome("error", seconds, {"message": f"{type(error).__name__}: {error}", "where": place})
    where = _there(fields.get("where"), now.files) or definition(now.files, function)
    if where is not None and where.source is None:
        where = replace(where, source=source_line(now.files, where))
    fields["where"] = where
    if "detail" in fields:
        fields["detail"] = _checked(fields["detail"], now.files)
    return Outcome(status, seconds, fields)


def _checked(detail: Detail, files: Mapping[str, bytes]) -> Detail:
    """A detail without the places that are none."""
    match detail:
        case Memory():
            held = tuple(replace(each, place=_there(each.place, files)) for each in detail.held)
            return replace(detail, held=held)
        case Timeline():
            there = {place: _there(place, files) for place in {*detail.places, *(span.place for span in detail.spans)}}
            spans = tuple(replace(span, place=there[span.place]) for span in detail.spans)
            return replace(detail, places=tuple(there[place] for place in detail.places), spans=spans)
        case _:
            return detail


def _there(place: Place | None, files: Mapping[str, bytes]) -> Place | None:
    """A place if there is such a line: a worker may say anything."""
    content = None if place is None else files.get(place.file)
    if place is None or content is None or not 1 <= place.line <= content.count(b"\n") + 1:
        return None
    return place


def suite_place(error: BaseException, suite: Path) -> Place | None:
    """Where in the suite an error came from: its innermost line there, or the innermost of all if there is none."""
    lines = [Place(frame.filename, frame.lineno or 1) for frame in traceback.extract_tb(error.__traceback__)]
    inside = [line for line in lines if Path(line.file).is_relative_to(suite)]
    return next(reversed(inside or lines), None)


def _explain(trouble: Trouble, now: Circumstances) -> tuple[Status, dict[str, Any]]:
    name, text = trouble.function, trouble.text
    fields: dict[str, Any] = {"where": trouble.where, "rank": trouble.rank}
    if trouble.kind not in ("raised", "returned", "timeout"):
        # The criterion's hint is about its matter, and the code did not get that far.
        fields["hint"] = None
    begins_with_name = text.startswith((f"{name} ", *now.files))
    sentence = (text if begins_with_name else text[:1].upper() + text[1:]) + (
        "" if text.endswith((".", "?", "!")) else "."
    )
    if trouble.kind == "timeout":
        hint = "Does every loop end? Look at the line above."
        return "timeout", fields | {"message": sentence, "actual": trouble.used or None, "hint": hint}
    if trouble.kind in ("missing", "died", "flood", "protocol", "returned"):
        return "failed", fields | {"message": sentence}
    if trouble.kind == "signature":
        wanted = str(now.signatures.get(name, "the stub's parameters"))
        message = f"{name} takes other parameters than it is called with."
        return "failed", fields | {"message": message, "expected": wanted, "actual": text}
    if trouble.kind == "import":
        file = trouble.where.file if trouble.where else "The file"
        if trouble.type == "SystemExit":
            return "failed", fields | {"message": f"{file} calls exit() when it is imported."}
        verb = "cannot be read as Python" if trouble.type in ("SyntaxError", "IndentationError") else "fails on import"
        return "failed", fields | {"message": f"{file} {verb}: {trouble.type}: {text}."}
    if trouble.type == "NotImplementedError":
        return "todo", {"message": TODO, "where": trouble.where}
    if trouble.type in RANK_ERRORS:
        rows = tuple(
            row
            if row.place is None
            else replace(row, place=replace(row.place, source=source_line(now.files, row.place)))
            for row in trouble.rows
        )
        return "failed", fields | {
            "message": sentence,
            "rank": None,
            "expected": "every rank in the same collective, with the same shape and dtype",
            "actual": _disagreement(rows) if trouble.type == "MismatchError" else text,
            "detail": RankTable(rows),
            "where": trouble.where or next((row.place for row in rows if row.place), None),
        }
    if trouble.type == "SystemExit":
        return "failed", fields | {"message": f"{name} calls exit()."}
    if trouble.type == "RecursionError":
        return "failed", fields | {"message": f"{name} calls itself without end: RecursionError."}
    beyond = _beyond_limits(trouble, now.limits)
    if beyond is not None:
        message, expected = beyond
        told = {"message": f"{name} {message}", "expected": expected, "actual": f"{trouble.type}: {text}", "hint": None}
        return "failed", fields | told
    return "failed", fields | {"message": f"{name} raised {trouble.type}.", "actual": f"{trouble.type}: {text}"}


def _beyond_limits(trouble: Trouble, limits: Limits) -> tuple[str, str] | None:
    """What the learner's code did that its worker may not do, and what it may, if that is what its error says."""
    number = re.match(r"\[Errno (\d+)\]", trouble.text)
    code = errno.errorcode.get(int(number[1])) if number and "OSError" in trouble.bases else None
    if trouble.type == "MemoryError" or code == "ENOMEM":
        return "ran out of memory.", f"at most {limits.memory_mb:,} MiB in all"
    if (trouble.type, trouble.text) == ("RuntimeError", "can't start new thread"):
        return "started too many threads.", f"at most {limits.processes} at once"
    if code == "EAGAIN":
        return "started too many processes or threads.", f"at most {limits.processes} threads at once, no process"
    if code == "EMFILE":
        return "opened too many files.", f"at most {limits.open_files} open at once"
    if code == "EFBIG":
        return "wrote too large a file.", f"at most {limits.file_kb:,} KiB"
    if code in ("EPERM", "EACCES"):
        return "tried what is closed to it.", "no file, network, process or signal besides its own"
    return None


def _disagreement(rows: Sequence[RankRow]) -> str:
    """In what the ranks differ, counted."""
    for what, values in (
        ("operations", {row.operation.partition(" ")[0] for row in rows}),
        ("shapes", {row.shape for row in rows}),
        ("dtypes", {row.dtype for row in rows}),
    ):
        if len(values) > 1:
            return f"{len(values)} different {what}"
    return "different options"


def summarize(identity: str, terms: Terms, outcomes: Sequence[Outcome], total: int) -> Criterion:
    """The result of a criterion from the outcomes of its cases, of which there are ``total``."""
    passed = sum(outcome.status == "passed" for outcome in outcomes)
    status: Status = "passed"
    fields = dict(next((outcome.fields for outcome in outcomes if outcome.fields), {}))
    if passed < total or not total:
        status = next(each for each in WORST_FIRST if any(outcome.status == each for outcome in outcomes))
        fields = dict(next(outcome for outcome in outcomes if outcome.status == status).fields)
        if status in ("failed", "timeout"):
            fields.setdefault("hint", terms.hint)
        if status == "todo":
            fields = {"message": fields["message"]}
    return Criterion(
        id=identity,
        function=terms.function,
        title=terms.title,
        status=status,
        points=terms.points,
        earned=terms.points if status == "passed" else Decimal(0),
        cases=Cases(passed, total),
        visibility=terms.visibility,
        seconds=round(sum(outcome.seconds for outcome in outcomes), 4),
        **fields,
    )


def not_tried(identity: str, terms: Terms, total: int, missing: Sequence[str], unwritten: bool) -> Criterion:
    """A criterion that was not worth trying: its function is not written, or what it needs was not earned."""
    return Criterion(
        id=identity,
        function=terms.function,
        title=terms.title,
        status="todo" if unwritten else "blocked",
        points=terms.points,
        earned=Decimal(0),
        cases=Cases(0, total),
        visibility=terms.visibility,
        message=TODO if unwritten else f"Not run: it needs {', '.join(missing)}.",
        blocked_by=() if unwritten else tuple(missing),
    )
