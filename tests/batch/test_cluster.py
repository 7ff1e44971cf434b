"""The engine on a Dask cluster: the grades of one machine, whatever happens to workers, scheduler and connection."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import dask
import distributed
import pytest
import trustme
from click.testing import CliRunner

from grader import __version__
from grader.batch import Done, Job, cluster
from grader.batch.cluster import JOBS_A_THREAD, ClusterEngine
from grader.batch.kit import Kit, pack
from grader.batch.local import LocalEngine
from grader.cli.batch import command
from grader.course import Course, Exercise
from grader.results import Grade, to_plain
from grader.runner import GraderFault
from tests.cli.test_batch_killed import contents_of
from tests.hostile.scene import descendants

from .clusters import Cluster
from .conftest import CASES
from .test_local import HOSTILE, RIGHT, WRONG, job

CONTENTS = {
    "right": RIGHT,
    "wrong": WRONG,
    "broken": "def longest(:\n",
    "exits": HOSTILE["exits"],
    "kills": HOSTILE["kills"],
    "prints": "def longest(text):\n    print('ä' * 1000)\n    return text\n",
}
# The process that judges is a fork of the trusted process, which the Dask worker started.
SUITE = """\
import os
import signal
from pathlib import Path

from grader.authoring import criterion


@criterion("longest", points=1, title="t")
def test_word(student):
    said = student.longest("a bc")
    if said == "die":
        trusted = os.getppid()
        os.kill(int(Path(f"/proc/{trusted}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
        signal.pause()
    assert said == "bc" or 1 / 0
"""


def without_times(grade: Grade | None) -> str:
    assert grade is not None
    plain = to_plain(grade)
    for each in (plain, *plain["criteria"]):
        each["seconds"] = 0
    return json.dumps(plain)


def graded(done: Iterable[Done]) -> dict[str, str]:
    return {each.id: without_times(each.grade) for each in done}


def soon(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def with_suite(folder: Path, text: str) -> Exercise:
    shutil.copytree(CASES / "course", folder / "course")
    (folder / "course" / "private" / "words" / "test_words.py").write_text(text)
    return Course.find(folder / "course").exercise("words")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as shared:
        shared.start_workers("--nworkers", "2")
        yield shared


@pytest.fixture(scope="module")
def client(shared: Cluster) -> Iterator[distributed.Client]:
    with distributed.Client(shared.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(scope="module")
def engine(shared: Cluster, client: distributed.Client, words: Exercise) -> Iterator[ClusterEngine]:
    with ClusterEngine(shared.address, words) as engine:
        yield engine


def test_grades_are_those_of_one_machine(engine: ClusterEngine, words: Exercise) -> None:
    jobs = [job(f"{name} {number}", text) for number in range(2) for name, text in CONTENTS.items()]
    with LocalEngine(words, workers=1) as local:
        assert engine.planned() == local.planned()
        assert graded(engine.grade(jobs)) == graded(local.grade(jobs))


def test_the_command_gives_the_same_results(
    shared: Cluster, client: distributed.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(CASES / "course")
    handed_in = tmp_path / "handed in"
    for name, content in {"ada": RIGHT, "bob": WRONG}.items():
        (handed_in / name).mkdir(parents=True)
        (handed_in / name / "words.py").write_text(content)
    (handed_in / "eve.pdf").write_bytes(b"%PDF-1.7")
    for name, options in {"here": ("--workers", "1"), "there": ("--scheduler", shared.address)}.items():
        arguments = [str(handed_in), "--exercise", "words", "--out", str(tmp_path / name), *options]
        result = CliRunner().invoke(command, arguments, standalone_mode=False)
        assert result.return_value == 0, result.output
        assert "2 graded now, 1 not to be graded.\n" in result.output
    assert contents_of(tmp_path / "here") == contents_of(tmp_path / "there")


def test_jobs_are_taken_as_workers_get_free(engine: ClusterEngine) -> None:
    taken: list[str] = []

    def jobs() -> Iterator[Job]:
        for number in range(20):
            taken.append(str(number))
            yield job(str(number), RIGHT)

    for count, _ in enumerate(engine.grade(jobs()), 1):
        assert len(taken) <= count + 2 * JOBS_A_THREAD


def test_a_submission_cannot_read_the_kit(shared: Cluster, engine: ClusterEngine) -> None:
    look = f"""\
import os
def longest(text):
    for folder in {str(shared.folder)!r}, {str(shared.folder / "dask-scratch-space")!r}:
        try:
            print(os.listdir(folder))
        except OSError as error:
            print(type(error).__name__)
    return text
"""
    (done,) = engine.grade([job("ada", look)])
    kits = shared.kits()
    assert kits
    assert {kit.stat().st_mode & 0o777 for kit in kits} == {0o700}
    assert all((kit / "suites" / "words" / "test_words.py").is_file() for kit in kits)
    assert done.grade is not None
    assert (done.grade.criteria[0].output or "").split() == ["PermissionError", "PermissionError"]


def test_a_worker_that_dies_costs_no_job(client: distributed.Client, engine: ClusterEngine) -> None:
    jobs = [job(str(number), RIGHT) for number in range(16)]
    running = engine.grade(jobs)
    done = [next(running) for _ in range(4)]
    victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    done += running
    assert sorted(each.id for each in done) == sorted(each.id for each in jobs)
    assert all(each.grade is not None and each.grade.complete for each in done)


def test_who_kills_workers_or_breaks_the_suite_has_a_reason_and_the_others_a_grade(
    shared: Cluster, client: distributed.Client, tmp_path: Path
) -> None:
    jobs = [job(str(number), RIGHT) for number in range(6)]
    jobs[2:2] = [job("eve", "def longest(text):\n    return 'die'\n"), job("bob", WRONG)]
    exercise = with_suite(tmp_path, SUITE)
    with ClusterEngine(shared.address, exercise) as engine:
        done = {each.id: each for each in engine.grade(jobs)}
    assert done.keys() == {each.id for each in jobs}
    assert {id: each.reason for id, each in done.items() if each.grade is None} == {
        "eve": "the grader failed twice: the workers that graded it died",
        "bob": "the grader failed twice: longest-word: ZeroDivisionError: division by zero"
        f" ({exercise.suite}/test_words.py:15)",
    }


def test_a_suite_that_cannot_be_collected_is_said_before_a_job_is_taken(
    shared: Cluster, client: distributed.Client, tmp_path: Path
) -> None:
    before = set(shared.kits())
    exercise = with_suite(tmp_path, "def test_x(:\n")
    jobs = iter([job("ada", RIGHT)])
    with ClusterEngine(shared.address, exercise) as engine, pytest.raises(GraderFault, match="SyntaxError") as raised:
        list(engine.grade(jobs))
    assert (raised.value.file, raised.value.line) == (f"{exercise.suite}/test_words.py", 1)
    assert len(list(jobs)) == 1
    assert soon(lambda: before.issuperset(shared.kits()))


def test_nothing_is_left_of_an_engine_that_was_killed(shared: Cluster, client: distributed.Client) -> None:
    def held() -> set[Any]:
        tasks = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks))
        processes = (descendants(worker) for worker in client.run(os.getpid).values())
        return {*tasks, *shared.kits(), *(process for below in processes for process in below)}

    program = f"""
import os, signal
from pathlib import Path
from grader.batch.cluster import ClusterEngine
from grader.course import Course
ClusterEngine({shared.address!r}, Course.find(Path({str(CASES / "course")!r})).exercise("words")).planned()
os.kill(os.getpid(), signal.SIGKILL)
"""
    client.wait_for_workers(2, timeout=60)
    before = held()
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert soon(lambda: held() <= before), held() - before


def test_a_kit_that_cannot_be_unpacked_is_no_lost_connection(words: Exercise, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="No such file or directory"):
        Kit(pack(words)).planned(tmp_path / "nowhere")


def test_a_kit_of_another_version_is_not_used(words: Exercise, tmp_path: Path) -> None:
    kit = Kit(pack(words) | {"version": "0.0.1"})
    with pytest.raises(RuntimeError, match=rf"^this is version {__version__}, not 0\.0\.1$"):
        kit.planned(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("package", "what"),
    [
        ('__version__ = "0.0.1"\n', "has course 0.0.1"),
        ("raise ModuleNotFoundError(\"No module named 'grader'\")\n", "has no course"),
    ],
    ids=["other", "none"],
)
def test_a_worker_without_this_version_is_named(
    shared: Cluster, client: distributed.Client, engine: ClusterEngine, words: Exercise, tmp_path: Path,
    package: str, what: str,
) -> None:  # fmt: skip
    (tmp_path / "grader").mkdir()
    (tmp_path / "grader" / "__init__.py").write_text(package)
    running = engine.grade(job(str(number), RIGHT) for number in range(9))
    assert next(running).grade is not None
    workers = client.nthreads().keys()
    process = shared.start_workers("--no-nanny", environment={"PYTHONPATH": str(tmp_path)})
    client.wait_for_workers(len(workers) + 1, timeout=60)
    (joined,) = client.nthreads().keys() - workers
    sentence = f"worker {joined} {what}; this is {__version__}: install sharded-training-course {__version__} there"
    for grade in (lambda: list(running), lambda: ClusterEngine(shared.address, words)):
        with pytest.raises(GraderFault, match=f"^{re.escape(sentence)}$"):
            grade()
    shared.end(process)
    assert soon(lambda: joined not in client.nthreads())


@pytest.fixture
def silent() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("nowhere", "missing port"),
        ("ftp://127.0.0.1:1", "unknown address scheme 'ftp'"),
        ("tls://127.0.0.1:1", "TLS configuration"),
        ("tcp://127.0.0.1:1", "did not answer in 0.5 s"),
        ("silent", "did not answer in 0.5 s"),
        ("worker", "a worker of Dask listens there"),
    ],
)
def test_a_scheduler_that_cannot_be_reached_is_said(
    shared: Cluster, client: distributed.Client, words: Exercise, silent: str, address: str, reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    address = {"silent": silent, "worker": next(iter(client.nthreads()))}.get(address, address)
    with pytest.raises(GraderFault, match=f"no Dask scheduler can be reached at {address}: .*{reason}"):
        ClusterEngine(address, words)


def test_the_extra_is_named(words: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(GraderFault, match=r"pip install 'sharded-training-course\[distributed\]'"):
        ClusterEngine("tcp://127.0.0.1:1", words)


def test_a_scheduler_without_workers_that_then_goes_away_over_tls(
    words: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 4)
    authority, files = trustme.CA(), [tmp_path / name for name in ("authority.pem", "key.pem")]
    authority.cert_pem.write_to_path(str(files[0]))
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(files[1]))
    options = ("--protocol", "tls", "--tls-ca-file", str(files[0]), "--tls-cert", str(files[1]))
    settings = {"distributed.comm.tls.ca-file": str(files[0]), "distributed.comm.tls.client.cert": str(files[1])}
    notices: list[str] = []
    with Cluster(tmp_path, *options) as own, dask.config.set(settings):
        assert own.address.startswith("tls://")
        with pytest.raises(GraderFault, match=r"no worker came to the scheduler at tls://.* in 0\.2 s"):
            ClusterEngine(own.address, words, patience=0.2, notice=notices.append)
        own.start_workers("--no-nanny")
        with ClusterEngine(own.address, words, notice=notices.append) as engine:
            running = engine.grade(job(str(number), RIGHT) for number in range(100))
            assert next(running).grade is not None
            own.end(own.scheduler)
            with pytest.raises(GraderFault, match=r"the connection to the scheduler at tls://.* was lost"):
                list(running)
    assert notices[0] == f"No worker at {own.address}: waiting for one for up to 0.2 s."
