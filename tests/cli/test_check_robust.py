"""``course check`` on what no writer should have made: findings, and never a traceback or a wait."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.course import Course
from grader.course.library import Library
from grader.course.markdown import read_page
from grader.results import Finding
from grader.rules import rules
from grader.rules.engine import check
from grader.rules.fixes import fix

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "cases" / "small_course"
COURSE = "schema: 1\ntitle: Days\ndescription: Counting them.\n"
PROGRAM = [sys.executable, "-c", "from grader.cli import main; main()", "check"]


def run(root: Path, *options: str, files: int | None = None) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the findings of ``course check`` in a process of its own, with few files that may be open."""

    def few_files() -> None:
        if files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    ended = subprocess.run(
        [*PROGRAM, "--format", "json", "--no-cache", *options],
        cwd=root, capture_output=True, text=True, timeout=120, check=False, preexec_fn=few_files,
    )  # fmt: skip
    assert ended.returncode in (0, 1), ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.returncode, json.loads(ended.stdout)["findings"]


def encoding(findings: list[dict[str, Any]]) -> dict[str, tuple[int | None, str]]:
    return {each["path"]: (each["line"], each["message"]) for each in findings if each["rule"] == "encoding"}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    (tmp_path / "lessons").mkdir()
    (tmp_path / "course.yml").write_text(COURSE)
    return tmp_path


def test_files_that_are_no_text_are_findings(course: Path) -> None:
    lessons = course / "lessons"
    (lessons / "latin.md").write_bytes("# One\n\ncafé\n".encode("latin-1"))
    (lessons / "utf16.md").write_bytes("# One\n".encode("utf-16"))
    (lessons / "nul.md").write_bytes(b"# One\n\nab\0c\n")
    (lessons / "crlf.md").write_bytes(b"# One\r\n\r\nTwo.\r\n")
    (lessons / "bom.md").write_bytes("\ufeff# One\n".encode())
    code, findings = run(course)
    found = encoding(findings)
    assert code == 1
    assert {path: line for path, (line, _) in found.items()} == {
        "lessons/latin.md": 3, "lessons/nul.md": 3, "lessons/utf16.md": 1,
    }  # fmt: skip
    assert "0xE9" in found["lessons/latin.md"][1]
    assert "UTF-16" in found["lessons/utf16.md"][1]


def test_what_is_no_file_is_a_finding_or_a_folder(course: Path) -> None:
    lessons = course / "lessons"
    (lessons / "folder.md").mkdir()
    (lessons / "folder.md" / "inner.md").write_text("# Inner\n")
    (lessons / "nowhere.md").symlink_to("gone.md")
    (lessons / "self.md").symlink_to("self.md")
    os.mkfifo(lessons / "pipe.md")
    (lessons / "round").symlink_to(course, target_is_directory=True)
    (lessons / "real.md").write_text(
        "# Real\n\n[a](pipe.md#x), [b](nowhere.md#x), [c](self.md#x), [d](folder.md#x), [e](round/lessons/real.md#x)\n"
    )
    named = {"lessons/nowhere.md", "lessons/pipe.md", "lessons/self.md"}
    code, findings = run(course)
    assert code == 1
    assert set(encoding(findings)) == named
    assert all(each["path"].count("round") == 0 for each in findings)
    _, findings = run(course, *named)
    assert {each["path"] for each in findings} == set(encoding(findings)) == named


def test_a_folder_that_cannot_be_read_is_a_finding(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nobody, not even root, may name so long a path at once.
    monkeypatch.chdir(course / "lessons")
    for _ in range(20):
        Path("x" * 250).mkdir()
        monkeypatch.chdir("x" * 250)
    Path("page.md").write_text("[a](gone.md)\n")
    monkeypatch.chdir(course)
    library = Library(course, Course.read(course / "course.yml"))
    found = check(library, [rules()["encoding"]])
    assert [finding.message for finding in found] == ["the folder cannot be read: File name too long"]
    assert found[0].path in library.paths


def test_a_manifest_that_is_no_file_is_no_traceback(course: Path) -> None:
    for number, make in enumerate((Path.mkdir, os.mkfifo, lambda path: path.symlink_to("gone"))):
        folder = course / "exercises" / f"ex{number}"
        folder.mkdir(parents=True)
        make(folder / "exercise.yml")
    run(course)


def test_a_thousand_files_with_few_that_may_be_open(tmp_path: Path) -> None:
    for number in range(1_000):
        folder = tmp_path / str(number % 100)
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.md").write_text(f"[next]({number + 100}.md)\n" if number < 900 else "[gone](gone.md)\n")
    code, findings = run(tmp_path, "--select", "links", files=256)
    assert code == 1
    assert len(findings) == 100
    assert {each["rule"] for each in findings} == {"link-file"}


# Whatever stands in a page.

MARKS = [
    "---\n", "title: a: b\n", "title: 10\n", "order: x\n", "terms: [\n", "# A\n", "## Warm-up\n", "\n", "1. ", "- a) ",
    '<a id="x"></a>', "[a](b.md#c)", "[a][b]", "[b]: c.md\n", "![](d.png)", "[^1]", "```\n", "````python\n", "word ",
    "| a | b |\n", "|---|---|\n", "<details>\n", "</details>\n", "**Answer: c**", "    ", "• ", "▢ ", "\t", "> ",
    "&amp;", "<!-- check: ignore link-file because x -->\n", "<!--", "-->", "\\", "é", "図", "\u0301", "\r\n", "{#x}",
    "\u2028", "\x0b",
]  # fmt: skip
PAGES = st.lists(st.sampled_from(MARKS), max_size=40).map("".join)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the small course, of which a lesson may be overwritten; its other pages are parsed once."""
    root = tmp_path_factory.mktemp("small")
    subprocess.run(["cp", "-r", f"{SMALL}/.", root], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.course.library.read_page", cache(read_page))
        yield root


def found_in(root: Path, page: bytes) -> tuple[Finding, ...]:
    (root / "lessons" / "lesson1.md").write_bytes(page)
    course = Course.read(root / "course.yml")
    return check(Library(root, course, course.anchors), rules().values())


@given(page=PAGES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_page_makes_a_rule_fail_and_places_are_in_the_page(small: Path, page: str) -> None:
    ends = page.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    for finding in found_in(small, page.encode()):
        if finding.path == "lessons/lesson1.md" and finding.line is not None:
            assert finding.column is not None
            assert 1 <= finding.line <= len(ends)
            assert (finding.line, finding.column) <= (finding.end_line or 0, finding.end_column or 0)
            assert 1 <= finding.column <= len(ends[finding.line - 1]) + 1


@given(page=PAGES, ends=st.sampled_from(["\n", "\r\n"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fixing_comes_to_rest_and_twice_is_once(small: Path, page: str, ends: str) -> None:
    content = page.replace("\r\n", "\n").replace("\n", ends).encode()

    def mended(content: bytes) -> bytes:
        for _ in range(20):
            findings = [each for each in found_in(small, content) if each.path == "lessons/lesson1.md"]
            fixed, _count = fix(content, findings)
            if fixed == content:
                return content
            content = fixed
        raise AssertionError(f"does not come to rest: {content!r}")

    once = mended(content)
    assert mended(once) == once
    if ends == "\r\n" and b"\n" in content:
        assert once.count(b"\n") == once.count(b"\r\n")
