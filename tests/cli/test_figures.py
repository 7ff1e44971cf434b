"""``course figures``: draws the lessons' figures, and says which is not what the code draws now."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course
from grader.figures import Figure, draw

ROOT = Path(__file__).parents[2]
NAME = "states-by-devices"


@pytest.fixture(scope="module", autouse=True)
def drawn_once() -> Iterator[None]:
    """Each figure is drawn by its code once: every test has a copy of the same course."""
    drawn: dict[str, Figure] = {}

    def draw_once(name: str, course: Course) -> Figure:
        if name not in drawn:
            drawn[name] = draw(name, course)
        return drawn[name]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.figures.draw", draw_once)
        yield


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the course, in which one is."""
    for folder in ("lessons", "exercises"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "course.yml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "lessons" / "figures"


def test_figures_are_drawn_where_they_belong(run: Any, course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {file.name: file.read_bytes() for file in course.iterdir()}
    shutil.rmtree(course)
    monkeypatch.chdir(course.parent)
    result = run("figures")
    assert result.code == 0
    assert {file.name: file.read_bytes() for file in course.iterdir()} == before
    said = result.out.splitlines()
    assert said[: len(before)] == [f"lessons/figures/{name}" for name in sorted(before)]
    lessons = "".join(file.read_text("utf-8") for file in course.parent.glob("*.md"))
    lines = [line for line in said if line.startswith("![")]
    assert len(lines) == len(before)
    assert all(line in lessons for line in lines)


def test_only_those_that_are_named(run: Any, course: Path) -> None:
    shutil.rmtree(course)
    assert run("figures", NAME, NAME).code == 0
    assert [file.name for file in course.iterdir()] == [f"{NAME}.svg"]
    assert run("figures", NAME, "--check").out == "1 figure is what the code draws now.\n"
    result = run("figures", "--check")
    assert result.code == 1
    assert result.out.count("is not there.") == 3


def test_a_figure_that_is_out_of_date_is_named_and_left(run: Any, course: Path) -> None:
    file = course / f"{NAME}.svg"
    file.write_bytes(file.read_bytes().replace(b"117 MB", b"118 MB"))
    changed = file.read_bytes()
    result = run("figures", "--check")
    assert (result.code, result.out.splitlines()) == (
        1,
        [f"lessons/figures/{NAME}.svg is not what the code draws now.", f"Next   course figures {NAME}"],
    )
    assert file.read_bytes() == changed
    assert run("figures", NAME).code == 0
    result = run("figures", "--check")
    assert (result.code, result.out) == (0, "4 figures are what the code draws now.\n")


def test_a_file_that_nothing_draws_is_named(run: Any, course: Path) -> None:
    (course / "older.svg").write_text("<svg/>")
    result = run("figures", "--check")
    assert (result.code, result.out) == (
        1,
        "lessons/figures/older.svg is drawn by nothing: delete it, and what shows it.\n",
    )


def test_an_unknown_figure_has_a_neighbour(run: Any, course: Path) -> None:
    result = run("figures", "state-by-device")
    assert result.code == 2
    assert "no figure is called 'state-by-device'. Did you mean states-by-devices?" in result.err


def test_outside_of_a_course_nothing_is_drawn(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("figures")
    assert result.code == 2
    assert "is in no course" in result.err
    assert not list(tmp_path.iterdir())


def test_a_figure_that_cannot_be_written_is_an_error_in_words(run: Any, course: Path) -> None:
    shutil.rmtree(course)
    course.write_text("not a folder")
    result = run("figures", NAME)
    assert result.code == 2
    assert f"lessons/figures/{NAME}.svg cannot be written" in result.err
    assert course.read_text() == "not a folder"
    check = run("figures", NAME, "--check")
    assert (check.code, check.out.splitlines()[0]) == (1, f"lessons/figures/{NAME}.svg is not there.")
