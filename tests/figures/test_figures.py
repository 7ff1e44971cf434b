"""The lessons' figures are what the code draws now, say what they show, and agree with the lessons' numbers."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import pytest

from grader.course import Course, CourseError
from grader.figures import Figure, draw, figures
from grader.pictures import in_bytes

ROOT = Path(__file__).parents[2]
COURSE = Course.read(ROOT / "course.yml")
LESSONS = {file.stem: file.read_text("utf-8") for file in sorted((ROOT / "lessons").glob("*.md"))}
SHOWN = re.compile(r"^!\[(?P<alt>.*)\]\(figures/(?P<name>.*)\.svg\)$\n\n(?P<after>(?:.+\n)+)", re.MULTILINE)
SVG = "{http://www.w3.org/2000/svg}"
CLOSE_UP = "gather-compute-release"
BILLIONS = 7.5e9


@cache
def drawn(name: str) -> Figure:
    return draw(name, COURSE)


def shown() -> list[re.Match[str]]:
    return [found for text in LESSONS.values() for found in SHOWN.finditer(text)]


@pytest.mark.parametrize("name", figures())
def test_a_figure_is_what_the_code_draws_now(name: str) -> None:
    file = ROOT / "lessons" / "figures" / f"{name}.svg"
    assert file.read_bytes() == drawn(name).svg.encode(), f"mend it by: course figures {name}"


def test_every_file_is_a_figure() -> None:
    assert sorted(file.stem for file in (ROOT / "lessons" / "figures").iterdir()) == figures()


@pytest.mark.parametrize("name", figures())
def test_a_lesson_shows_it_with_its_text_and_says_what_to_look_at(name: str) -> None:
    found = [each for each in shown() if each["name"] == name]
    assert found
    for each in found:
        assert each["alt"] == drawn(name).alt, f"mend it by: course figures {name}"
        assert len(re.findall(r"[.!?](?:\s|$)", each["after"])) == 1


def test_lessons_show_no_other_images() -> None:
    assert sum(text.count("![") for text in LESSONS.values()) == len(shown())
    assert {each["name"] for each in shown()} == set(figures())


@pytest.mark.parametrize("name", figures())
def test_a_figure_stands_alone_light_and_dark(name: str) -> None:
    svg = drawn(name).svg
    root = ElementTree.fromstring(svg)
    assert re.findall(r"https?:[^\"]*", svg) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"src=|href=|<script|@import|@font-face", svg)
    assert "prefers-color-scheme:dark" in svg
    # Wider than where letters become large, so that they do so on a telephone alone.
    assert float(root.get("width") or 0) > 36 * 16


@pytest.mark.parametrize("name", figures())
def test_no_text_is_cut(name: str) -> None:
    assert "…" not in drawn(name).svg


@pytest.mark.parametrize("name", figures())
def test_areas_differ_without_colour(name: str) -> None:
    patterns = list(ElementTree.fromstring(drawn(name).svg).iter(f"{SVG}pattern"))
    paths = [pattern.find(f"{SVG}path") for pattern in patterns]
    assert len({None if path is None else path.get("d") for path in paths}) == len(patterns)


def row_of(lesson: str, start: str) -> list[str]:
    """The cells of a table's row."""
    line = next(line for line in LESSONS[lesson].splitlines() if line.startswith(start))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_memory_is_that_of_the_lesson() -> None:
    alt = drawn("memory-by-stage").alt
    _, *by_stage = row_of("lesson09", "| 8 |")
    for name, gigabytes, rest in zip(
        ("Data parallelism", "Stage 1", "Stage 2"),
        by_stage,
        (16 * BILLIONS, 4 * BILLIONS + 12 * BILLIONS / 8, 2 * BILLIONS + 14 * BILLIONS / 8),
        strict=True,
    ):
        assert f"{name}: {in_bytes(rest)} at rest" in alt
        assert in_bytes(rest) == f"{gigabytes} GB"
    assert f"Stage 3: {in_bytes(16 * BILLIONS / 8)} at rest" in alt
    assert alt.count("above the line of 80 GB") == 1


def test_states_are_those_of_the_lesson() -> None:
    alt = drawn("states-by-devices").alt
    _, *by_stage = row_of("lesson09", "| 1,024 |")
    for name, gigabytes in zip(("Data parallelism", "Stage 1", "Stage 2"), by_stage, strict=True):
        assert f"{name}: 120 GB at 1 device, {gigabytes} GB at 1,024 devices" in alt
    assert f"{in_bytes(16 * BILLIONS / 1024)} at 1,024 devices" in alt
    assert "below 32 GB from 4 devices on" in alt


def test_bytes_sent_are_those_of_the_lesson() -> None:
    alt = drawn("bytes-sent").alt
    per_pass = 2 * 10**12 * 1023 / 1024
    for passes, times in ((2, "1"), (3, "1.5"), (5, "2.5"), (12, "6")):
        assert f"{in_bytes(passes * per_pass)} ({times}\N{MULTIPLICATION SIGN})" in alt
    assert f"that is {in_bytes(3 * per_pass)} a device and step" in LESSONS["lesson10"].replace("\n", " ")


def test_the_close_up_is_that_of_the_lesson() -> None:
    alt = drawn(CLOSE_UP).alt
    assert "1.0 L high in the forward pass and 2.0 L in the backward pass; between two teeth 0.0 L" in alt
    assert "forward, after each step: gather 1.0 L, compute 1.0 L, release 0.0 L" in alt
    assert "backward, after each step: gather 1.0 L, compute 2.0 L, release 1.0 L, reduce 0.0 L" in alt
    assert "8 equal layers of L bytes each on 1,024 devices then need 2.0 L" in LESSONS["lesson10"]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A course with lesson 10's exercise, and with suites of its own."""
    shutil.copytree(COURSE.exercises_folder / "lesson10", tmp_path / "exercises" / "lesson10")
    text = (ROOT / "course.yml").read_text("utf-8")
    (tmp_path / "course.yml").write_text(f"{text}\nsuites: suites\n", "utf-8")
    return tmp_path


def test_the_reference_is_what_is_drawn(copied: Path) -> None:
    suite = COURSE.exercise("lesson10").suite
    assert suite is not None
    reference = copied / "suites" / "lesson10" / "reference"
    shutil.copytree(suite / "reference", reference)
    course = Course.read(copied / "course.yml")
    assert draw(CLOSE_UP, course) == drawn(CLOSE_UP)
    step = reference / "train_step.py"
    step.write_text(step.read_text().replace("            del whole ", "            kept = whole "))
    assert draw(CLOSE_UP, course).svg != drawn(CLOSE_UP).svg


def test_without_a_reference_it_says_so(copied: Path) -> None:
    (copied / "suites").mkdir()
    with pytest.raises(CourseError, match="no hidden suite"):
        draw(CLOSE_UP, Course.read(copied / "course.yml"))
