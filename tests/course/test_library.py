"""The content under a folder: which files it has, and that none of them stops the reading of others."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from grader.course import Course, CourseError
from grader.course.library import Library

ROOT = Path(__file__).parents[2]


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("# A\n", "utf-8")


def test_a_tree_has_every_page_but_those_of_tools(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/B.MD", ".hidden/c.md", ".git/d.md", "web/node_modules/e.md", "env/lib/f.md", "note.txt")
    write(tmp_path, "env/pyvenv.cfg")
    library = Library(tmp_path)
    assert library.page_paths == (".hidden/c.md", "a/B.MD", "b.md")
    assert {"a", "a/B.MD", "note.txt", ".git", "env"} <= library.paths
    assert [page.path for page in library.pages()] == list(library.page_paths)


def test_a_course_has_the_pages_of_its_folders() -> None:
    course = Course.read(ROOT / "course.yml")
    library = Library(ROOT, course)
    folders = {path.partition("/")[0] for path in library.page_paths if "/" in path}
    assert "README.md" in library.page_paths
    assert "exercises/lesson10/README.md" in library.page_paths
    assert folders <= {"lessons", "exercises", "glossary", "docs", ".github"}


def test_a_page_is_read_once_and_a_broken_one_each_time_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (tmp_path / "b.md").write_bytes(b"caf\xe9")
    library = Library(tmp_path)
    assert library.page("a.md") is library.page("a.md")
    for _ in range(2):
        with pytest.raises(CourseError, match="UTF-8"):
            library.page("b.md")
    with pytest.raises(CourseError, match="cannot be read"):
        library.page("gone.md")
    assert [page.path for page in library.pages()] == ["a.md"]


def test_links_of_the_file_system_that_lead_round_in_a_circle(tmp_path: Path) -> None:
    write(tmp_path, "a/b.md")
    (tmp_path / "a" / "round").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "self").symlink_to("self")
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    library = Library(tmp_path)
    assert library.page_paths == ("a/b.md",)
    assert "a/round" in library.paths


def test_many_files_with_few_that_may_be_open(tmp_path: Path) -> None:
    write(tmp_path, *(f"{number % 300}/{number}.md" for number in range(1000)))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        assert sum(1 for _ in Library(tmp_path).pages()) == 1000
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_exercises_by_id_or_what_is_wrong_with_them(tmp_path: Path) -> None:
    (tmp_path / "course.yml").write_text("schema: 1\ntitle: A\ndescription: B\n")
    (tmp_path / "exercises" / "one").mkdir(parents=True)
    (tmp_path / "exercises" / "one" / "exercise.yml").write_text("title: [\n")
    found = Library(tmp_path, Course.read(tmp_path / "course.yml")).exercises
    assert isinstance(found["one"], CourseError)
    assert list(Library(ROOT, Course.read(ROOT / "course.yml")).exercises) == ["lesson09", "lesson10"]
    assert not Library(ROOT).exercises


def test_of_many_lessons_only_the_one_asked_for_is_read(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        write(tmp_path, f"lessons/lesson{number}.md", f"glossary/term{number}.md")
        (tmp_path / "lessons" / f"lesson{number}.md").write_text(f"---\norder: {number}\n---\n\n# A\n")
    (tmp_path / "lessons" / "broken.md").write_bytes(b"caf\xe9")
    library = Library(tmp_path)
    assert library.lessons["lesson9"].order == 9
    assert library.terms["term1"].id == "term1"
    assert library.lessons.get("gone") is library.lessons.get("broken") is None
    assert {path for path in library._pages if "broken" not in path} == {"lessons/lesson9.md", "glossary/term1.md"}
    assert list(library.lessons) == ["lesson1", "lesson9", "lesson10"]
    assert len(library.lessons) == 3


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.md")
    with pytest.raises(CourseError, match="a pipe"):
        Library(tmp_path).page("a.md")
