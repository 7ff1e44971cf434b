"""What a learner is told of a case that went wrong."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from grader.authoring.criteria import Failed, Terms
from grader.authoring.signatures import Signature
from grader.authoring.trouble import Trouble, student_error
from grader.results import Place
from grader.runner import recorder
from grader.runner.recorder import Circumstances, outcome_of

GATHER = Terms("gather", Decimal(1), "a title", hint="a hint")
FILES = {"shard.py": b"\n\ndef shard(full):\n    pass\n", "gather.py": b"def gather(piece, shape, group):\n    pass\n"}
NOW = Circumstances(
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
