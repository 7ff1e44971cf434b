"""The engine on this machine: every job is done, whatever happens to the processes that do it."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader.batch import Job
from grader.batch.local import LocalEngine
from grader.course import Course, Exercise
from grader.runner import GraderFault, Submission
from tests import hanging
from tests.hostile.scene import descendants

from .conftest import CASES

RIGHT = "def longest(text):\n    return max(text.split(), key=len)\n"
WRONG = "def longest(text):\n    return text\n"
# Each takes something from whoever is beside it, or ends what it can reach.
HOSTILE = {
    "crashes": "import ctypes\n\n\ndef longest(text):\n    ctypes.string_at(0)\n",
    "exits": "import os\n\n\ndef longest(text):\n    os._exit(0)\n",
    "floods": "def longest(text):\n    print('x' * 10**6)\n    return text\n",
    "hangs": "import time\n\n\ndef longest(text):\n    time.sleep(3600)\n",
    "kills": "import os\n\n\ndef longest(text):\n    os.kill(os.getppid(), 9)\n    os.killpg(0, 9)\n",
    "spins": "def longest(text):\n    while True:\n        pass\n",
}
SUITE = """\
from grader.authoring import criterion


@criterion("longest", points=1, title="t")
def test_word(student):
    assert student.longest("a bc") == "bc" or 1 / 0
"""


def job(id: str, content: str) -> Job:
    return Job(id, Submission({"words.py": content.encode()}, {"longest": "words.py"}), seed=1)


def trusted() -> list[int]:
    """The processes below this one that hold a suite, each with a session of its own, but for the forks of those."""
    below = [pid for pid in descendants(os.getpid()) if os.getsid(pid) == pid]
    return [pid for pid in below if b"grader.runner.trusted" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.fixture(scope="module")
def quick(words: Exercise, tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    """The exercise with so little time for a call that hanging costs the tests little."""
    course = tmp_path_factory.mktemp("quick") / "course"
    shutil.copytree(CASES / "course", course)
    manifest = course / "exercises" / "words" / "exercise.yml"
    manifest.write_text(manifest.read_text() + "limits: {seconds: 1, wall_seconds: 2}\n")
    return Course.find(course).exercise("words")


def test_hostile_submissions_change_nothing_for_those_beside_them(quick: Exercise) -> None:
    jobs = []
    for name, content in HOSTILE.items():
        jobs += [job(f"before {name}", RIGHT), job(name, content), job(f"after {name}", WRONG)]
    with LocalEngine(quick, workers=3) as engine:
        done = {each.id: each for each in engine.grade(jobs)}
    assert len(done) == len(jobs)
    earned = {id: each.grade.earned for id, each in done.items() if each.grade is not None}
    assert earned == {each.id: Decimal(each.id.startswith("before")) for each in jobs}
    statuses = {id: each.grade.criteria[0].status for id, each in done.items() if each.grade is not None}
    assert {statuses[f"after {name}"] for name in HOSTILE} == {"failed"}
    assert (statuses["hangs"], statuses["spins"]) == ("timeout", "timeout")


def test_jobs_are_taken_as_workers_get_free(words: Exercise) -> None:
    taken: list[str] = []

    def jobs() -> Iterator[Job]:
        for number in range(20):
            taken.append(str(number))
            yield job(str(number), RIGHT)

    with LocalEngine(words, workers=1) as engine:
        for count, _ in enumerate(engine.grade(jobs()), 1):
            assert len(taken) <= count + 3


def test_a_job_whose_grader_dies_is_graded_by_a_new_one(words: Exercise) -> None:
    others = set(trusted())
    with LocalEngine(words, workers=1) as engine:
        engine.planned()
        (old,) = set(trusted()) - others

        def jobs() -> Iterator[Job]:
            os.kill(old, signal.SIGKILL)
            yield job("ada", RIGHT)
            yield job("bob", RIGHT)

        assert [each.grade is not None and each.grade.complete for each in engine.grade(jobs())] == [True, True]
        (new,) = set(trusted()) - others
    assert new != old


def test_a_job_that_the_suite_fails_on_has_a_reason_and_the_others_a_grade(words: Exercise, tmp_path: Path) -> None:
    course = tmp_path / "course"
    shutil.copytree(CASES / "course", course)
    suite = course / "private" / "words" / "test_words.py"
    suite.write_text(SUITE)
    with LocalEngine(Course.find(course).exercise("words"), workers=1) as engine:
        done = {each.id: each for each in engine.grade([job("ada", RIGHT), job("bob", WRONG), job("eve", RIGHT)])}
    assert {id for id, each in done.items() if each.grade is not None} == {"ada", "eve"}
    reason = done["bob"].reason
    assert reason == f"the grader failed twice: longest-word: ZeroDivisionError: division by zero ({suite}:6)"


def test_a_suite_that_cannot_be_collected_is_said_before_a_job_is_taken(words: Exercise, tmp_path: Path) -> None:
    course = tmp_path / "course"
    shutil.copytree(CASES / "course", course)
    (course / "private" / "words" / "test_words.py").write_text("def test_x(:\n")
    jobs = iter([job("ada", RIGHT)])
    with LocalEngine(Course.find(course).exercise("words")) as engine, pytest.raises(GraderFault, match="SyntaxError"):
        list(engine.grade(jobs))
    assert len(list(jobs)) == 1


def test_whoever_stops_leaves_no_process(words: Exercise) -> None:
    """In the middle of jobs that would take long, and with a thread that waits for each."""
    before = descendants(os.getpid())
    with LocalEngine(words, workers=2) as engine:
        running = engine.grade([job("ada", RIGHT), *(job(str(number), HOSTILE["hangs"]) for number in range(9))])
        assert next(running).id == "ada"
        time.sleep(0.2)
        with pytest.raises(KeyboardInterrupt):
            running.throw(KeyboardInterrupt)
    assert descendants(os.getpid()).keys() <= before.keys()


@pytest.mark.parametrize("before", [None, signal.SIGKILL, signal.SIGSTOP])
def test_whoever_stops_leaves_no_process_where_the_suite_hangs(
    words: Exercise, tmp_path: Path, before: signal.Signals | None
) -> None:
    """Nor where the trusted process can end nothing any more."""
    hung = tmp_path / "hung"
    suite = SUITE.replace("    assert", "    hang()\n    assert")
    (tmp_path / "test_words.py").write_text(hanging.source(hung) + suite)
    others = set(trusted())
    with LocalEngine(replace(words, suite=tmp_path), workers=1) as engine, ThreadPoolExecutor() as pool:
        grading = pool.submit(lambda: list(engine.grade([job("ada", RIGHT)])))
        hanging.wait_until_hung(hung, 1)
        if before is not None:
            (process,) = set(trusted()) - others
            os.kill(process, before)
        engine.close()
        hanging.wait_until_gone(hung)
        (done,) = grading.result(hanging.PATIENCE_SECONDS)
    assert done.grade is None
