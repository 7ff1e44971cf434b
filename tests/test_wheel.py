"""The wheel is complete: installed elsewhere, without the repository, it starts an exercise and grades it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import pytest

from grader.course import Course
from grader.release import make_edition
from grader.release.writing import RECORD
from tests.installed import build_wheel, checked, install, run_installed

ROOT = Path(__file__).parents[1]
COURSE = Course.read(ROOT / "course.yml")
EXERCISE = COURSE.exercise("lesson10")

Ended = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("environment"))


@pytest.fixture
def course(installed: Path, tmp_path: Path) -> Callable[..., Ended]:
    """Run ``course`` as installed, in a folder that has nothing to do with the repository."""
    return partial(run_installed, installed, tmp_path)


def test_it_starts_and_grades_an_exercise_elsewhere(course: Callable[..., Ended], tmp_path: Path) -> None:
    started = course("start", "lesson10", "lesson10")
    assert (started.returncode, started.stderr) == (0, "")

    stubs = course("grade", "lesson10")
    assert (stubs.returncode, stubs.stderr) == (1, "")
    assert "write shard in shard.py" in stubs.stdout

    assert EXERCISE.suite is not None
    for file in EXERCISE.files:
        shutil.copy(EXERCISE.suite / "reference" / file, tmp_path / "lesson10")
    right = course("grade", "lesson10")
    assert (right.returncode, right.stderr) == (0, "")


def test_it_has_the_lessons_to_read(course: Callable[..., Ended]) -> None:
    read = course("read", "lesson10")
    assert (read.returncode, read.stderr) == (0, "")
    assert read.stdout.startswith("Lesson 10.")


def test_it_releases_what_a_clone_releases(installed: Path, course: Callable[..., Ended], tmp_path: Path) -> None:
    """Byte for byte, whatever the hash seed, the locale and the place are; and the course that is in it."""
    shutil.copytree(ROOT / "tests" / "cases" / "small_course", tmp_path / "calendar")
    ended = run_installed(installed, tmp_path / "calendar", "release", "../out")
    assert (ended.returncode, ended.stderr) == (0, "")
    files = {path.relative_to(tmp_path / "out").as_posix(): path for path in (tmp_path / "out").rglob("*")}
    released = {name: path.read_bytes() for name, path in files.items() if path.is_file() and name != RECORD}
    assert released == make_edition(Course.read(tmp_path / "calendar" / "course.yml")).files

    others = course("release", "out", "--exercise", "leap")
    assert others.returncode == 2
    assert all(id in others.stderr for id in COURSE.exercises())


def test_it_is_the_wheel_that_runs(installed: Path) -> None:
    place = checked(installed / "python", "-Ic", "import grader; print(grader.__file__)")
    assert Path(place.strip()).is_relative_to(installed.parent)


def test_it_holds_what_a_course_needs_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    names = set(held)
    content = "grader/content/exercises/lesson10"
    needed = {"grader/py.typed", "grader/content/course.yml", f"{content}/exercise.yml", f"{content}/README.md"}
    needed |= {f"{content}/{name}" for name in (*EXERCISE.files, *EXERCISE.given)}
    needed |= {f"{content}/.pristine/{name}" for name in EXERCISE.files}
    for folder, pattern in (
        ("grader", "**/schemas/*.json"),
        ("grader/cli", "templates/**/*.*"),
        ("grader/suites", "**/*.py"),
    ):
        needed |= {file.relative_to(ROOT).as_posix() for file in (ROOT / folder).glob(pattern)}
    for folder in ("glossary", "lessons"):
        needed |= {f"grader/content/{file.relative_to(ROOT).as_posix()}" for file in (ROOT / folder).glob("*.md")}
    assert needed - names == set()
    sources = {name: ROOT / name.replace("grader/content/", "") for name in names if ".dist-info/" not in name}
    assert [name for name, source in sources.items() if held[name] != source.read_bytes()] == []
    others = {name for name in names if not name.startswith("grader/") and ".dist-info/" not in name}
    assert others == set()
    assert not {name for name in names if "__pycache__" in name}
