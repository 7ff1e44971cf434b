"""The wheel is complete: installed elsewhere, without the repository, it starts an exercise and grades it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from grader.course import Course

ROOT = Path(__file__).parents[1]
EXERCISE = Course.read(ROOT / "course.yml").exercise("lesson10")

Ended = subprocess.CompletedProcess[str]


def checked(*arguments: str | Path) -> str:
    """What a process printed that must succeed."""
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the backend that the development extra brings, so that no index is needed."""
    folder = tmp_path_factory.mktemp("wheel")
    checked(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment with the wheel in it, which borrows the dependencies from this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=os.name == "posix")
    paths = {
        name: Path(path) for name, path in sysconfig.get_paths("venv", {"base": folder, "platbase": folder}).items()
    }
    here = {sysconfig.get_paths()[name] for name in ("purelib", "platlib")}
    # A path in a .pth file is searched last, and .pth files found there, this project's own, count for nothing.
    (paths["purelib"] / "borrowed.pth").write_text("\n".join(sorted(here)))
    python = paths["scripts"] / "python"
    checked(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    return paths["scripts"]


@pytest.fixture
def course(installed: Path, tmp_path: Path) -> Callable[..., Ended]:
    """Run ``course`` as installed, in a folder that has nothing to do with the repository."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*arguments: str) -> Ended:
        return subprocess.run(
            [installed / "course", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


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


def test_it_is_the_wheel_that_runs(installed: Path) -> None:
    place = checked(installed / "python", "-Ic", "import grader; print(grader.__file__)")
    assert Path(place.strip()).is_relative_to(installed.parent)


def test_it_holds_what_a_course_needs_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
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
    others = {name for name in names if not name.startswith("grader/") and ".dist-info/" not in name}
    assert others == set()
    assert not {name for name in names if "__pycache__" in name}
