"""What a learner is told of a case that went wrong."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader.authoring.criteria import Failed, Terms
from grader.authoring.signatures import Signature
from grader.authoring.trouble import Trouble, student_error
from grader.devices.errors import UseAfterFreeError
from grader.results import Held, Memory, Place, RankRow, Span, Timeline
from grader.runner import recorder
from grader.runner.recorder import Circumstances, outcome_of

GATHER = Terms("gather", Decimal(1), "a title", hint="a hint")
FILES = {"shard.py": b"\n\ndef shard(full):\n    pass\n", "gather.py": b"def gather(piece, shape, group):\n    pass\n"}
NOW = Circumstances(
    world_size=2,
    files=FILES,
    signatures={
        "shard": Signature("shard", ("full", "rank", "world_size")),
        "gather": Signature("gather", ("piece", "shape", "group")),
    },
    suite=Path("suite"),
)


def test_a_signature_is_held_to_its_own_function_whatever_the_criterion_is_about() -> None:
    error = student_error(Trouble("signature", "shard", "shard(full)", where=Place("shard.py", 3)))
    fields = outcome_of(error, 0.0, GATHER, NOW).fields
    assert fields["expected"] == "shard(full, rank, world_size)"
    assert fields["actual"] == "shard(full)"


def test_a_trouble_without_a_line_is_shown_where_its_own_function_begins() -> None:
    error = student_error(Trouble("returned", "shard", "shard returned None; it should return an array."))
    assert outcome_of(error, 0.0, GATHER, NOW).fields["where"] == Place("shard.py", 3, "def shard(")


def test_a_failure_without_a_line_is_shown_where_the_criterions_function_begins() -> None:
    assert outcome_of(Failed("Wrong."), 0.0, GATHER, NOW).fields["where"] == Place("gather.py", 1, "def gather(")


@pytest.mark.parametrize(
    ("type_name", "text", "bases", "message", "expected"),
    [
        ("MemoryError", "Unable to allocate 8 GiB", (), "ran out of memory.", "at most 1,024 MiB in all"),
        ("OSError", "[Errno 12] Cannot allocate memory", (), "ran out of memory.", "at most 1,024 MiB in all"),
        ("RuntimeError", "can't start new thread", (), "started too many threads.", "at most 32 at once"),
        (
            "BlockingIOError",
            "[Errno 11] Resource temporarily unavailable",
            ("OSError",),
            "started too many processes or threads.",
            "at most 32 threads at once, no process",
        ),
        ("OSError", "[Errno 24] Too many open files: 'x'", (), "opened too many files.", "at most 64 open at once"),
        ("OSError", "[Errno 27] File too large", (), "wrote too large a file.", "at most 1,024 KiB"),
        (
            "PermissionError",
            "[Errno 1] Operation not permitted",
            ("OSError",),
            "tried what is closed to it.",
            "no file, network, process or signal besides its own",
        ),
    ],
)
def test_what_a_limit_stops_is_said_with_the_limit(
    type_name: str, text: str, bases: tuple[str, ...], message: str, expected: str
) -> None:
    error = student_error(Trouble("raised", "gather", text, type_name, (type_name, *bases)))
    fields = outcome_of(error, 0.0, GATHER, NOW).fields
    assert fields["message"] == f"gather {message}"
    assert (fields["expected"], fields["actual"]) == (expected, f"{type_name}: {text}")


def test_an_error_of_the_learners_own_is_no_limit() -> None:
    error = student_error(Trouble("raised", "gather", "[Errno 1] no", "ValueError", ("ValueError",)))
    assert outcome_of(error, 0.0, GATHER, NOW).fields["message"] == "gather raised ValueError."


def test_ranks_that_there_are_not_are_not_shown() -> None:
    rows = tuple(RankRow(rank, "all_gather") for rank in range(1024))
    error = student_error(Trouble("raised", "gather", "hang", "HangError", rows=rows))
    assert outcome_of(error, 0.0, GATHER, NOW).fields["detail"].rows == rows[:2]
    assert outcome_of(error, 0.0, GATHER, replace(NOW, world_size=None)).fields["detail"].rows == ()


@pytest.mark.parametrize("place", [Place("test_gather.py", 1), Place("gather.py", 99), Place("gather.py", -1)])
def test_a_line_that_is_not_there_is_not_shown(place: Place) -> None:
    rows = (RankRow(0, "all_gather", (1,), "float32", place), RankRow(1, "barrier", place=Place("gather.py", 2)))
    error = student_error(Trouble("raised", "gather", "hang", "HangError", where=place, rows=rows))
    fields = outcome_of(error, 0.0, GATHER, NOW).fields
    assert fields["where"] == Place("gather.py", 2, "pass")
    assert [row.place for row in fields["detail"].rows] == [None, Place("gather.py", 2, "pass")]
    held = Memory((("after", 4),), held=(Held(4, place),))
    failed = outcome_of(Failed("Wrong.", detail=held, where=place), 0.0, GATHER, NOW).fields
    assert failed["detail"].held == (Held(4),)
    assert failed["where"] == Place("gather.py", 1, "def gather(")


def test_a_timeline_keeps_the_places_that_there_are() -> None:
    there, nowhere = Place("gather.py", 2), Place("/etc/passwd", 1)
    timeline = Timeline(0, (4, 8, 0), places=(there, nowhere, None), spans=(Span("compute", "add", 0.0, 1.0, nowhere),))
    passed = recorder.passed(0.0, timeline, FILES).fields["detail"]
    failed = outcome_of(Failed("Wrong.", detail=timeline), 0.0, GATHER, NOW).fields["detail"]
    assert passed == failed
    assert passed.places == (there, None, None)
    assert passed.spans[0].place is None


def test_a_file_that_is_not_there_is_not_blamed() -> None:
    error = student_error(Trouble("import", "gather", "boom", "ValueError", where=Place("test_gather.py", 1)))
    assert outcome_of(error, 0.0, GATHER, NOW).fields["message"] == "The file fails on import: ValueError: boom."


def test_a_suite_that_cannot_look_at_what_was_returned_is_not_at_fault() -> None:
    outcome = outcome_of(UseAfterFreeError("numpy of a freed array"), 0.0, GATHER, NOW)
    assert outcome.status == "failed"
    assert outcome.fields["message"] == "gather returned an array that cannot be used."


@pytest.mark.parametrize("folder", ["suite", "test_suite"])
def test_a_fault_of_the_suite_is_placed_in_the_suite(folder: str, tmp_path: Path) -> None:
    suite = tmp_path / folder
    suite.mkdir()
    library = tmp_path / "test_library.py"
    library.write_text("def helper():\n    1 / 0\n")
    (suite / "checks.py").write_text("def check(helper):\n\n    helper()\n")
    space: dict[str, object] = {}
    for path in (library, suite / "checks.py"):
        exec(compile(path.read_text(), str(path), "exec"), space)
    with pytest.raises(ZeroDivisionError) as caught:
        space["check"](space["helper"])  # type: ignore[operator]
    assert recorder.suite_place(caught.value, suite) == Place(str(suite / "checks.py"), 3)
