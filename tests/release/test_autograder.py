"""The autograder for Gradescope, set up and run as there: by root, under 768 MB and half a processor."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import sysconfig
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from click import UsageError
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

import grader.release
from grader.cli.release import command
from grader.course import Course, CourseError
from grader.release import is_autograder, make_autograder

CASES = Path(__file__).parents[1] / "cases"
SCHEMA = json.loads((CASES / "schemas" / "gradescope-results.json").read_text("utf-8"))
COURSE = Course.read(CASES / "course" / "course.yml")
WITHOUT_LANDLOCK = CASES.parent / "without_landlock.py"
SUITE = CASES / "course" / "private" / "pieces"
SETUP = Path(grader.release.__file__).parent / "templates" / "setup.sh.txt"
FILES = ("keep.py", "total.py", "share.py")
MEGABYTE = 2**20

# Tries what a learner would gain by, and tells in what it prints.
CURIOUS = """
for path, mode in (("{root}/source/course/suites/pieces/test_pieces.py", "r"), ("{root}/results/results.json", "w")):
    try:
        open(path, mode)
        print("OPENED", path)
    except OSError:
        pass
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="Gradescope runs an autograder as root")


@pytest.fixture(scope="module")
def archive() -> bytes:
    return make_autograder(COURSE, "pieces")


@pytest.fixture(scope="module")
def built(archive: bytes) -> Iterator[Path]:
    """The root of an image in which Gradescope unpacked the zip and ran setup.sh; packages come from here."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        (root / "autograder.zip").write_bytes(archive)
        with ZipFile(root / "autograder.zip") as files:
            files.extractall(root / "source")
        here = sysconfig.get_paths()["purelib"]
        # pip reads options from the environment; the build backend comes from where these tests run.
        options = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_NO_COMPILE": "1"}
        options |= {"PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": here}
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", root / "source" / "setup.sh"],
            env={**os.environ, **options, "PATH": path, "COURSE_AUTOGRADER": folder},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        (place,) = (root / "environment").glob("lib/*/site-packages")
        (place / "borrowed.pth").write_text(here)
        yield root


@pytest.fixture
def root(built: Path) -> Iterator[Path]:
    """The root of a fresh container of the image."""
    yield built
    for name in ("results", "submission"):
        shutil.rmtree(built / name, ignore_errors=True)


class Group:
    """A control group with so much memory and half a processor, of whichever version is there."""

    _EVENTS = ("memory.events", "memory.oom_control")

    def __init__(self, megabytes: int) -> None:
        name = f"autograder-{uuid.uuid4().hex}"
        top = Path("/sys/fs/cgroup")
        if (top / "cgroup.controllers").exists():
            self.folders = [top / name]
            limits = [("memory.max", megabytes * MEGABYTE), ("memory.swap.max", 0), ("cpu.max", "50000 100000")]
        else:
            self.folders = [top / "memory" / name, top / "cpu" / name]
            limits = [("memory.limit_in_bytes", megabytes * MEGABYTE), ("cpu.cfs_quota_us", 50_000)]
        try:
            for folder in self.folders:
                folder.mkdir()
            for file, value in limits:
                next(each / file for each in self.folders if (each / file).exists()).write_text(str(value))
        except (OSError, StopIteration) as error:
            self.remove()
            pytest.skip(f"no control group can be made here: {error}")

    def command(self, script: Path) -> list[str | Path]:
        """Run ``script`` in it."""
        enter = 'for folder; do echo $$ > "$folder/cgroup.procs"; done; exec bash "$0"'
        return ["bash", "-c", enter, script, *self.folders]

    @property
    def killed(self) -> int:
        """How many processes were killed for want of memory."""
        told = "".join(
            (self.folders[0] / name).read_text() for name in self._EVENTS if (self.folders[0] / name).exists()
        )
        return int(re.findall(r"^oom_kill (\d+)", told, re.MULTILINE)[0])

    def kill(self) -> None:
        """Kill all processes in it, as who ends a container does."""
        while processes := "".join((folder / "cgroup.procs").read_text() for folder in self.folders if folder.exists()):
            for process in map(int, processes.split()):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.05)

    def remove(self) -> None:
        for folder in self.folders:
            while folder.exists():
                self.kill()
                with suppress(OSError):  # a process that was killed is not gone at once
                    folder.rmdir()


class Container:
    """Runs ``run_autograder`` in a control group."""

    def __init__(self, root: Path, state: Path) -> None:
        self.root = root
        self.results = root / "results" / "results.json"
        self.groups: list[Group] = []
        self._state = {"XDG_DATA_HOME": str(state), "XDG_STATE_HOME": str(state)}

    def start(self, megabytes: int = 768, **variables: str) -> subprocess.Popen[str]:
        self.groups.append(Group(megabytes))
        return subprocess.Popen(
            self.groups[-1].command(self.root / "source" / "run_autograder"),
            env={"PATH": os.environ["PATH"], "COURSE_AUTOGRADER": str(self.root), **self._state, **variables},
            cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def run(self, megabytes: int = 768, **variables: str) -> Any:
        with self.start(megabytes, **variables) as process:
            said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said
        assert stat.S_IMODE(self.results.parent.stat().st_mode) == 0o700
        assert [file.name for file in self.results.parent.iterdir()] == ["results.json"]
        return self.read()

    def read(self) -> Any:
        results = json.loads(self.results.read_text("utf-8"))
        Draft202012Validator(SCHEMA).validate(results)
        return results


@pytest.fixture
def container(root: Path, tmp_path: Path) -> Iterator[Container]:
    container = Container(root, tmp_path)
    yield container
    for group in container.groups:
        group.remove()


def hand_in(folder: Path, prelude: str = "") -> None:
    folder.mkdir(parents=True)
    for name in FILES:
        (folder / name).write_text(prelude + (SUITE / "reference" / name).read_text("utf-8"))


def test_the_same_course_gives_the_same_bytes(archive: bytes, tmp_path: Path) -> None:
    shutil.copytree(CASES / "course", tmp_path / "course")
    assert make_autograder(Course.read(tmp_path / "course" / "course.yml"), "pieces") == archive


def test_it_has_what_grading_needs_of_one_exercise_and_no_solution(archive: bytes, tmp_path: Path) -> None:
    (tmp_path / "autograder.zip").write_bytes(archive)
    with ZipFile(tmp_path / "autograder.zip") as files:
        names = files.namelist()
        modes = {entry.filename: entry.external_attr >> 16 for entry in files.infolist()}
        times = {entry.date_time for entry in files.infolist()}
    assert names == sorted(names)
    assert times == {(1980, 1, 1, 0, 0, 0)}
    assert {name for name in names if "/" not in name} == {"setup.sh", "run_autograder", "exercise.sh"}
    assert {name for name in names if modes[name] & 0o111} == {"setup.sh", "run_autograder"}
    assert "course/suites/pieces/test_pieces.py" in names
    assert "tool/grader/runner/trusted.py" in names
    assert not [name for name in names if name.startswith("tool/grader/suites") or "/words/" in name]
    assert not [name for name in names if {"reference", "mutants", "__pycache__"} & {*name.split("/")}]
    assert is_autograder(tmp_path / "autograder.zip")


def test_an_image_without_a_python_to_have_is_said_when_it_is_built(tmp_path: Path) -> None:
    """A package manager that has nothing stands in for that of an old image, which is not to be had here."""
    manager = tmp_path / "apt-get"
    manager.write_text(f'#!/bin/sh\necho "$*" >> {tmp_path}/asked\n')
    manager.chmod(0o755)
    done = subprocess.run(
        ["/bin/bash", SETUP],
        env={"PATH": str(tmp_path), "COURSE_AUTOGRADER": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "choose Ubuntu 24.04 as the base image" in done.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked == ["update -q", "install -y -q python3-venv", "install -y -q python3.11-venv"]


def test_there_is_none_without_the_suite(tmp_path: Path) -> None:
    shutil.copytree(CASES / "course", tmp_path / "course")
    shutil.rmtree(tmp_path / "course" / "private" / "pieces")
    with pytest.raises(CourseError, match="needs the whole suite"):
        make_autograder(Course.read(tmp_path / "course" / "course.yml"), "pieces")


@needs_root
def test_another_user_reads_the_tool_and_no_suite(root: Path) -> None:
    def read(name: str) -> int:
        command = ["cat", root / name]
        return subprocess.run(command, user=2_000_000_001, group=2_000_000_001, capture_output=True).returncode

    assert read("source/course/suites/pieces/test_pieces.py") != 0
    (tool,) = root.glob("environment/lib/*/site-packages/grader/runner/worker.py")
    assert read(str(tool.relative_to(root))) == 0


@needs_root
def test_it_grades_what_was_handed_in_and_lets_no_learner_near(container: Container, root: Path) -> None:
    hand_in(root / "submission" / "my course" / "exercises" / "pieces", CURIOUS.format(root=root))
    results = container.run()
    assert results["score"] == 5
    assert [test["status"] for test in results["tests"]] == ["passed"] * 5
    assert "OPENED" not in json.dumps(results)
    assert "user" in results["extra_data"]["fences"]


@needs_root
def test_some_of_the_files_earn_some_of_the_points(container: Container, root: Path) -> None:
    hand_in(root / "submission")
    (root / "submission" / "keep.py").unlink()
    results = container.run()
    assert results["score"] == 2
    assert "expected keep.py, which is not there" in results["output"]


@needs_root
@pytest.mark.parametrize("fault", ["suite", "environment", "source"])
def test_a_broken_grader_leaves_a_sentence(container: Container, root: Path, fault: str) -> None:
    hand_in(root / "submission")
    broken = {
        "suite": root / "source" / "course" / "suites" / "pieces" / "test_pieces.py",
        "environment": root / "environment" / "bin" / "course",
        "source": root / "source" / "exercise.sh",
    }[fault]
    whole = broken.read_bytes()
    if fault == "suite":
        broken.write_bytes(b"import nothing_of_this_name\n")
    else:
        broken.unlink()
    try:
        results = container.run()
    finally:
        broken.write_bytes(whole)
        broken.chmod(0o755)
    assert results["score"] == 0
    assert "The grader is at fault here, not your work." in results["output"]
    assert "nothing_of_this_name" not in json.dumps(results)


@needs_root
def test_what_could_read_the_suite_is_not_reported(container: Container, root: Path) -> None:
    """Without Landlock, and with a Python that only root may read, so that no other user can run it."""
    hand_in(root / "submission", CURIOUS.format(root=root))
    course, environment = root / "environment" / "bin" / "course", root / "environment"
    whole = course.read_bytes()
    program = f"import runpy\nrunpy.run_path({str(WITHOUT_LANDLOCK)!r}, run_name='__main__')\n"
    course.write_text(f"#!{environment}/bin/python\n{program}")
    environment.chmod(0o700)
    try:
        results = container.run()
    finally:
        course.write_bytes(whole)
        environment.chmod(0o755)
    assert "The grader is at fault here, not your work." in results["output"]
    assert "OPENED" not in json.dumps(results)


SENTENCE = "Grading was ended before it was done"


@needs_root
def test_one_for_which_there_is_no_memory_leaves_a_sentence(container: Container, root: Path) -> None:
    hand_in(root / "submission")
    results = container.run(megabytes=24)
    assert container.groups[0].killed
    assert results["score"] == 0
    # The kernel chooses which of its processes is killed.
    assert SENTENCE in results["output"] or "at fault here" in results["output"]


@needs_root
def test_one_that_takes_too_long_leaves_a_sentence(container: Container, root: Path) -> None:
    hand_in(root / "submission")
    assert SENTENCE in container.run(COURSE_SECONDS="0.05")["output"]


@needs_root
def test_one_that_is_killed_with_all_around_it_leaves_a_sentence(container: Container, root: Path) -> None:
    hand_in(root / "submission")
    with container.start() as process:
        while not container.results.exists():
            time.sleep(0.01)
        container.groups[0].kill()
    assert process.returncode == -signal.SIGKILL
    assert SENTENCE in container.read()["output"]


@needs_root
def test_nothing_handed_in_is_said(container: Container, root: Path) -> None:
    results = container.run()
    assert results["score"] == 0
    assert "nothing to grade" in results["output"]
    assert "keep.py total.py share.py" in results["output"]


@needs_root
def test_a_link_to_the_files_of_others_is_no_submission(container: Container, root: Path, tmp_path: Path) -> None:
    hand_in(tmp_path / "others")
    (root / "submission").mkdir()
    (root / "submission" / "pieces").symlink_to(tmp_path / "others")
    results = container.run()
    assert results["score"] == 0
    assert "expected keep.py" in results["output"]


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run ``course release`` in the course."""
    monkeypatch.chdir(CASES / "course")
    return lambda *arguments: CliRunner().invoke(command, [*map(str, arguments)], standalone_mode=False)


def test_it_is_written_over_itself_and_nothing_else(
    release: Callable[..., Result], tmp_path: Path, archive: bytes
) -> None:
    out = tmp_path / "autograder.zip"
    for _ in range(2):
        result = release(out, "--gradescope", "--exercise", "pieces")
        assert result.return_value == 0
        assert "It holds the whole suite" in result.output
        assert out.read_bytes() == archive
    with ZipFile(out, "w") as other:
        other.writestr("thesis.txt", "mine")
    before = out.read_bytes()
    refused = release(out, "--gradescope", "--exercise", "pieces").exception
    assert "stands in the way. Nothing was changed." in str(refused)
    assert out.read_bytes() == before


@pytest.mark.parametrize("exercises", [(), ("--exercise", "pieces", "--exercise", "words")])
def test_it_is_of_one_exercise(release: Callable[..., Result], tmp_path: Path, exercises: tuple[str, ...]) -> None:
    refused = release(tmp_path / "a.zip", "--gradescope", *exercises).exception
    assert isinstance(refused, UsageError)
    assert "name it by --exercise" in str(refused)
    assert not list(tmp_path.iterdir())
