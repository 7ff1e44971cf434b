"""The learners' edition of the real course, made once, and a wheel of it, installed once."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course
from grader.release import Edition, make_edition, write_release
from tests.installed import build_wheel, install

ROOT = Path(__file__).parents[2]


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
    return build_wheel(edition, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("environment"))
