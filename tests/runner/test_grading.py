"""Whole submissions, graded for real: each file says in its header what must come of it."""

from __future__ import annotations

import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader.course import Course, Exercise
from grader.limits import Limits
from grader.results import Criterion, Grade
from grader.runner import Grader, GraderFault, Submission, read_submission
from tests import hanging

from .conftest import CASES

SUBMISSIONS = sorted((CASES / "submissions").glob("*.py"))
RIGHT = CASES / "submissions" / "right.py"
FUNCTIONS = ("keep", "total", "share")


def by_id(grade: Grade) -> dict[str, Criterion]:
    return {criterion.id: criterion for criterion in grade.criteria}


def without_times(grade: Grade) -> list[Criterion]:
    return [replace(criterion, seconds=0.0) for criterion in grade.criteria]


def one_file(text: str | bytes) -> Submission:
    content = text.encode() if isinstance(text, str) else text
    return Submission({"work.py": content}, dict.fromkeys(FUNCTIONS, "work.py"))


@pytest.mark.parametrize("path", SUBMISSIONS, ids=lambda path: path.stem)
def test_each_submission_gets_what_its_header_says(path: Path, grader: Grader, pieces: Exercise) -> None:
    grade = grader.grade(read_submission(path, pieces))
    found = by_id(grade)
    expected = re.findall(r"^# ([a-z-]+): (\w+)(?:: (.*))?$", path.read_text(), re.MULTILINE)
    assert {identity for identity, _, _ in expected} == set(found)
    for identity, status, message in expected:
        criterion = found[identity]
        assert (identity, criterion.status) == (identity, status), criterion.message
        assert criterion.earned == (criterion.points if status == "passed" else 0)
        if message:
            assert re.search(message, criterion.message or ""), criterion.message
        if status in ("failed", "timeout"):
            assert criterion.where is not None
            assert criterion.where.file == path.name
            assert criterion.where.source
    assert grade.earned == sum((criterion.earned for criterion in grade.criteria), Decimal(0))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "defines no function"),
        (b"def keep(:\n", "cannot be read as Python: SyntaxError"),
        ("def keep(): pass".encode("utf-16"), "cannot be read as Python"),
        (b"\x00\x01\x02", "cannot be read as Python"),
        (b"import sys\nsys.exit()\n", "calls exit\\(\\) when it is imported"),
        (b"while True: pass\n", "stopped after 1 s of processor time"),
        (b"import os\nos._exit(0)\n", "ended its process"),
        (b"x = 1 / 0\n", "fails on import: ZeroDivisionError"),
        (b"class E(Exception):\n  def __str__(self): return 1\nraise E\n", "fails on import: E"),
        (b"class E(BaseException):\n  def __str__(self): raise self\nraise E\n", "fails on import: E"),
        (b"keep = total = share = 3\n", "defines no function"),
        (b"from keep import keep\n", "fails on import: ModuleNotFoundError"),
        (b"x = '\xff'\n", "cannot be read as Python"),
    ],
)
def test_a_file_that_is_no_module_costs_its_own_criteria(content: bytes, message: str, grader: Grader) -> None:
    grade = grader.grade(one_file(content))
    assert grade.earned == 0
    first = grade.criteria[0]
    assert first.status in ("failed", "timeout")
    assert re.search(message, first.message or ""), first.message
    assert "Traceback" not in (first.message or "")


def test_a_broken_file_costs_only_what_needs_it(grader: Grader, pieces: Exercise) -> None:
    files = {"keep.py": b"def keep(", "total.py": b"def total(a, b): return a + b"}
    files["share.py"] = b"from total import total\ndef share(x, group):\n    group.all_reduce(x)\n    return x\n"
    found = by_id(grader.grade(Submission(files, {name: f"{name}.py" for name in FUNCTIONS})))
    assert [found[each].status for each in ("keep-rows", "total-large", "share-sum")] == ["failed", "passed", "passed"]


def test_a_missing_file_is_said_and_the_rest_graded(grader: Grader) -> None:
    found = by_id(grader.grade(Submission({"total.py": b"def total(a, b): return a + b"}, {"total": "total.py"})))
    assert found["keep-rows"].message == "keep was not handed in."
    assert found["total-small"].status == "passed"


def test_ranks_have_modules_of_their_own(grader: Grader) -> None:
    text = RIGHT.read_text().replace(
        "def share(x, group):",
        "seen = []\n\ndef share(x, group):\n    seen.append(group.rank)\n    assert len(seen) == 1, seen",
    )
    assert by_id(grader.grade(one_file(text)))["share-sum"].status == "passed"


def test_what_was_printed_is_shown_with_ranks_and_values(grader: Grader) -> None:
    text = RIGHT.read_text().replace(
        "    return full[rank", "    print('rows', full[0], '\\ud83d')\n    return 2 * full[rank"
    )
    criterion = by_id(grader.grade(one_file(text)))["keep-rows"]
    assert criterion.output is not None
    assert "[rank 0] rows [0., 1., 2.]" in criterion.output
    assert "\\ud83d" in criterion.output


def test_long_output_keeps_its_ends_and_says_what_is_left_out(grader: Grader) -> None:
    text = RIGHT.read_text().replace(
        "    return first + second", "    print('begin', 'x' * 200_000, 'end')\n    return 0"
    )
    output = by_id(grader.grade(one_file(text)))["total-small"].output
    assert output is not None
    assert output.startswith("begin")
    assert output.rstrip().endswith("end")
    assert "bytes left out" in output
    assert len(output) < 70_000


def test_the_same_submission_gives_the_same_grade(grader: Grader, pieces: Exercise) -> None:
    grades = [grader.grade(read_submission(CASES / "submissions" / "shapes_differ.py", pieces)) for _ in range(3)]
    assert without_times(grades[0]) == without_times(grades[1]) == without_times(grades[2])


def test_the_seed_chooses_the_random_cases(grader: Grader) -> None:
    text = RIGHT.read_text().replace("    return first + second", "    return first + second + (first > 9)")
    calls = [by_id(grader.grade(one_file(text), seed=seed))["total-large"].call for seed in (1, 1, 2)]
    assert calls[0] == calls[1]
    assert calls[0] != calls[2]


def test_only_runs_what_is_asked_for_and_what_it_needs(grader: Grader, pieces: Exercise) -> None:
    grade = grader.grade(read_submission(RIGHT, pieces), only=["total"])
    assert [criterion.id for criterion in grade.criteria] == ["total-small", "total-large"]
    assert (grade.earned, grade.points, grade.only) == (Decimal("1.5"), Decimal("1.5"), ("total",))


def test_what_waits_for_a_function_that_is_not_shown_says_for_which(pieces: Exercise, tmp_path: Path) -> None:
    assert pieces.suite is not None
    suite = (pieces.suite / "test_pieces.py").read_text()
    (tmp_path / "test_pieces.py").write_text(suite.replace('over ranks")', 'over ranks", needs=["total-small"])'))
    text = RIGHT.read_text().replace("    return first + second", "    raise NotImplementedError")
    with Grader(replace(pieces, suite=tmp_path)) as grader:
        grade = grader.grade(one_file(text), only=["share"])
    assert [criterion.status for criterion in grade.criteria] == ["blocked"]
    assert grade.next is not None
    assert re.fullmatch(r"write or fix total in \w+\.py, which share builds on", grade.next.text)
    assert grade.next.command.endswith(" --only total")


def test_the_next_step_names_the_function_s_own_file_beside_a_line_in_another(grader: Grader) -> None:
    files = {"keep.py": b"from total import total\ndef keep(full, rank, world_size):\n    return total(0, 0)\n"}
    files["total.py"] = b"def total(first, second):\n    return first / second\n"
    step = grader.grade(Submission(files, {"keep": "keep.py", "total": "total.py"})).next
    assert step is not None
    assert "(keep.py; see total.py, line 2)" in step.text


def test_a_breakpoint_is_told_to_be_for_scripts(grader: Grader) -> None:
    criterion = by_id(grader.grade(one_file(RIGHT.read_text().replace("    rows =", "    breakpoint()\n    rows ="))))[
        "keep-rows"
    ]
    assert "breakpoint() stops in a script of your own" in (criterion.actual or "")
    assert criterion.where is not None
    assert criterion.where.source == "breakpoint()"


def test_points_are_exact(grader: Grader, pieces: Exercise) -> None:
    grade = grader.grade(read_submission(RIGHT, pieces))
    assert grade.earned == Decimal(5)
    assert [function.earned for function in grade.functions] == [Decimal(3), Decimal("1.5"), Decimal("0.5")]


def test_after_two_timeouts_a_function_is_not_called_again(pieces: Exercise, tmp_path: Path) -> None:
    suite = "from grader.authoring import criterion\n" + "".join(
        f"""

@criterion("{function}", points="{points}", title="t")
def test_{name}(student):
    student.total(1, 2)
"""
        for function, name, points in [
            ("keep", "rows", 3), ("total", "one", "0.5"), ("total", "two", "0.5"), ("total", "three", "0.5"),
            ("share", "sum", "0.5"),
        ]
    )  # fmt: skip
    (tmp_path / "test_pieces.py").write_text(suite)
    limits = replace(pieces.limits, seconds=0.5, wall_seconds=1.0)
    with Grader(replace(pieces, suite=tmp_path, limits=limits)) as grader:
        text = "import time\ndef total(a, b):\n    time.sleep(60)\n"
        criteria = grader.grade(one_file(text)).criteria
    assert [criterion.status for criterion in criteria] == ["timeout"] * 5
    assert criteria[0].where is not None
    assert criteria[0].where.line == 3
    messages = [criterion.message or "" for criterion in criteria]
    assert all(each.startswith("total was stopped after") for each in messages[:2])
    assert messages[2:] == ["Not called: total ran out of time 2 times already."] * 3


def test_a_machine_that_is_slow_is_no_loop(pieces: Exercise) -> None:
    """A call that has to wait for the processor is given more of the clock, as long as it uses little of it."""
    text = RIGHT.read_text().replace(
        "    return first + second", "    import time; time.sleep(0.5)\n    return first + second"
    )
    with Grader(replace(pieces, limits=Limits(seconds=0.3, wall_seconds=20))) as grader:
        assert by_id(grader.grade(one_file(text)))["total-small"].status == "passed"


def test_all_calls_together_have_a_limit(pieces: Exercise) -> None:
    text = RIGHT.read_text().replace(
        "    return first + second", "    import time; time.sleep(0.3)\n    return first + second"
    )
    with Grader(replace(pieces, limits=Limits(total_seconds=0.2))) as grader:
        found = by_id(grader.grade(one_file(text)))
    assert found["total-large"].status == "timeout"
    assert found["total-large"].message == (
        "Not called: the calls before it took 0.2 s, the limit for all calls of a submission."
    )
    assert found["keep-rows"].status == "passed"


def test_the_worker_sees_nothing_of_the_suite(grader: Grader) -> None:
    text = (
        "import gc, os, sys\n"
        "def total(a, b):\n"
        "    hidden = ('pytest', '_pytest', 'test_', 'grader.course')\n"
        "    seen = [name for name in sys.modules if name.startswith(hidden)]\n"
        "    texts = [o for o in gc.get_objects() if isinstance(o, dict) and 'adds small numbers' in o.values()]\n"
        "    print('modules', seen, 'texts', len(texts), 'env', dict(os.environ), 'argv', sys.argv[1:])\n"
        "    raise ValueError\n"
    )
    output = by_id(grader.grade(one_file(text)))["total-small"].output
    assert output is not None
    assert output.startswith("modules [] texts 0 env {} argv []")
    assert "private" not in output


def test_an_exercise_without_a_cluster_in_a_private_folder(second_course: Course) -> None:
    words = second_course.exercise("words")
    with Grader(words) as grader:
        grade = grader.grade(read_submission(CASES / "course" / "private" / "words" / "reference", words))
        assert (grade.earned, grade.points) == (1, 1)
        stub = grader.grade(read_submission(words.folder, words))
        assert [criterion.status for criterion in stub.criteria] == ["todo"]
        assert stub.next is not None
        assert "words.py" in stub.next.text


def test_a_suites_own_fixtures_come_first(second_course: Course, tmp_path: Path) -> None:
    (tmp_path / "test_words.py").write_bytes((CASES / "own_fixtures.py").read_bytes())
    words = replace(second_course.exercise("words"), suite=tmp_path)
    with Grader(words) as grader:
        grade = grader.grade(read_submission(CASES / "course" / "private" / "words" / "reference", words))
    assert [criterion.status for criterion in grade.criteria] == ["passed"]


@pytest.mark.parametrize("path", sorted((CASES / "suites").glob("*.py")), ids=lambda path: path.stem)
def test_a_broken_suite_is_its_authors_fault(path: Path, second_course: Course, tmp_path: Path) -> None:
    text = path.read_text()
    message, line = re.findall(r"^# (?:fault|line): (.*)$", text, re.MULTILINE)
    (tmp_path / "test_words.py").write_text(text)
    words = replace(second_course.exercise("words"), suite=tmp_path)
    with Grader(words) as grader, pytest.raises(GraderFault) as caught:
        grader.grade(read_submission(CASES / "course" / "private" / "words" / "reference", words))
    assert re.search(message, caught.value.message), caught.value.message
    if line != "any":
        assert (caught.value.file, caught.value.line) == (str(tmp_path / "test_words.py"), int(line))


def test_no_process_outlives_the_grader(second_course: Course) -> None:
    words = second_course.exercise("words")
    with Grader(words) as grader:
        grader.grade(read_submission(words.folder, words))
        processes = [grader._processes.zygote.pid, grader._processes.trusted.pid]
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.parametrize("result", ["full[:1] * 1", "None"])
def test_what_a_case_held_is_given_back_whether_it_passed_or_failed(
    result: str, pieces: Exercise, tmp_path: Path
) -> None:
    """30 cases of 20 MB; the last criterion tells by its message how much memory its process has used at most."""
    cases = "".join(
        f"""
@criterion("keep", points="0.1", title="t")
def test_{number}(student, cluster_of):
    cluster = cluster_of(1)
    full = [device.zeros((5_000_000,)) for device in cluster.devices]
    (piece,) = cluster.run(student.keep, per_rank(full), RANK, 1)
    assert piece.shape == (1,)
"""
        for number in range(30)
    )
    suite = f"""
import resource

from grader.authoring import criterion
from grader.devices import RANK, per_rank

{cases}

@criterion("total", points="1.5", title="t")
def test_memory(student):
    assert False, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@criterion("share", points="0.5", title="t")
def test_nothing(student):
    pass
"""
    (tmp_path / "test_pieces.py").write_text(suite)
    text = f"def keep(full, rank, n):\n    return {result}\n"
    with Grader(replace(pieces, suite=tmp_path)) as grader:
        found = by_id(grader.grade(one_file(text)))
    assert found["keep-7"].status == ("failed" if result == "None" else "passed")
    assert 0 < int(found["total-memory"].message or "") < 300_000


def test_calls_that_take_long_are_no_silence(pieces: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    text = RIGHT.read_text().replace(
        "    rows = full", "    __import__('time').sleep(0.9 * (rank == 0))\n    rows = full"
    )
    with Grader(pieces) as grader:
        grader.grade(one_file(""))
        monkeypatch.setattr("grader.runner.process.PATIENCE_SECONDS", 0.6)
        found = by_id(grader.grade(one_file(text)))
    assert found["keep-rows"].status == "passed", "three calls of 0.9 s, each within its limit of 1 s"


def test_criteria_that_come_one_by_one_are_no_silence(
    pieces: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a part whose other part is done, for longer than the grader is waited for."""
    suite = """
import time

from grader.authoring import criterion


@criterion("total", points="1.5", title="t")
def test_first(student):
    assert student.total(1, 2) == 3


@criterion("share", points="0.5", title="t", needs=["total-first"])
def test_rests(student):
    assert student.total(1, 2) == 3
""" + "".join(
        f"""

@criterion("keep", points={points}, title="t")
def test_{points}(student):
    time.sleep(0.3)
"""
        for points in ("0.75", "0.65", "0.55", "0.45", "0.35", "0.25")
    ).replace("test_0.", "test_")
    (tmp_path / "test_pieces.py").write_text(suite)
    with Grader(replace(pieces, suite=tmp_path, limits=replace(pieces.limits, wall_seconds=0.5))) as grader:
        grader.grade(one_file(""))
        monkeypatch.setattr("grader.runner.process.PATIENCE_SECONDS", 0.7)
        assert grader.grade(one_file(RIGHT.read_text())).earned == 5


def test_what_is_known_counts_as_earned_and_is_not_graded(pieces: Exercise, tmp_path: Path) -> None:
    suite = """
from grader.authoring import criterion

@criterion("keep", points=3, title="is wrong whatever it does")
def test_never(student):
    assert False

@criterion("total", points="1.5", title="adds")
def test_adds(student):
    assert student.total(1, 2) == 3

@criterion("share", points="0.5", title="rests on both", needs=["keep-never", "total-adds"])
def test_rests(student):
    assert student.total(2, 2) == 4
"""
    (tmp_path / "test_pieces.py").write_text(suite)
    with Grader(replace(pieces, suite=tmp_path)) as grader:
        work = one_file(RIGHT.read_text())
        (blocked,) = grader.grade(work, only=["share"]).criteria
        (tried,) = grader.grade(work, only=["share"], known=["keep"]).criteria
    assert (blocked.status, blocked.blocked_by, tried.status) == ("blocked", ("keep-never",), "passed")


def test_a_suite_that_hangs_on_one_submission_is_stopped_and_grades_the_others(
    pieces: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs in both of its parts, each of which holds a lock as long as it lives."""
    hung = tmp_path / "hung"
    suite = f"""
from grader.authoring import criterion

{hanging.source(hung)}

def expect_sum(student):
    if student.total(1, 2) < 0:
        hang()


@criterion("keep", points=3, title="t")
def test_keeps(student):
    expect_sum(student)


@criterion("total", points="1.5", title="t")
def test_adds(student):
    expect_sum(student)


@criterion("share", points="0.5", title="t", needs=["total-adds"])
def test_rests(student):
    expect_sum(student)
"""
    (tmp_path / "test_pieces.py").write_text(suite)
    exercise = replace(pieces, suite=tmp_path, limits=replace(pieces.limits, wall_seconds=0.5))
    hangs, ends = (one_file(f"def total(a, b):\n    return {value!r}\n") for value in (-1, 3))
    monkeypatch.setattr("grader.runner.process.PATIENCE_SECONDS", 4.0)
    with Grader(exercise) as grader, ThreadPoolExecutor() as pool:
        grader.planned()
        stopped = pool.submit(grader.grade, hangs)
        assert [grader.grade(ends).earned for _ in range(3)] == [5, 5, 5]
        with pytest.raises(GraderFault, match="did not answer and was stopped"):
            stopped.result()
        assert grader.is_alive()
        assert grader.grade(ends).earned == 5
    assert hung.read_text() == "xx"
    hanging.wait_until_gone(hung)
