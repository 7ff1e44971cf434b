"""The learners' edition of the real course, made once, and a wheel of it, installed once."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from grader.course import Course
from grader.release import Edition, make_edition, write_release

ROOT = Path(__file__).parents[2]


def checked(*arguments: str | Path) -> None:
    """Run a process that must succeed."""
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.fixture(scope="session")
def made() -> Edition:
    return make_edition(Course.read(ROOT / "course.yml"))


@pytest.fixture(scope="session")
def edition(made: Edition, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that learners get."""
    folder = tmp_path_factory.mktemp("edition") / "out"
    write_release(folder, made.files)
    return folder


@pytest.fixture(scope="session")
def wheel(edition: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    checked(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, edition)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``course`` of an environment with the edition in it, which borrows the dependencies from this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=os.name == "posix")
    paths = {
        name: Path(path) for name, path in sysconfig.get_paths("venv", {"base": folder, "platbase": folder}).items()
    }
    here = {sysconfig.get_paths()[name] for name in ("purelib", "platlib")}
    (paths["purelib"] / "borrowed.pth").write_text("\n".join(sorted(here)))
    python = paths["scripts"] / "python"
    checked(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    return paths["scripts"] / "course"
