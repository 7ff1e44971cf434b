"""``course similar``: what it writes and where, what it refuses, and the exit code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DESIGNS = ROOT / "tests" / "suites" / "lesson10" / "designs"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

MEASURE = """<script>
const widths = [...document.querySelectorAll(".sides > div")].map(side => Math.round(side.clientWidth));
document.title = [widths[0], widths[1], document.documentElement.scrollWidth].join();
</script>"""


@pytest.fixture
def submissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three people of whom two handed in the same, one of them as an archive."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(ROOT)
    folder = tmp_path / "submissions"
    shutil.copytree(DESIGNS / "uneven_rows", folder / "ada")
    shutil.copytree(DESIGNS / "flat_padded", folder / "bob")
    with zipfile.ZipFile(folder / "cleo.zip", "w") as archive:
        for file in (DESIGNS / "uneven_rows").iterdir():
            archive.write(file, f"work/{file.name}")
    return folder


def similar(run: Any, submissions: Path, *more: str | Path) -> Any:
    return run("similar", submissions, "--exercise", "lesson10", "--out", submissions.parent / "out", *more)


def written(out: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in out.iterdir()}


def test_a_pair_is_shown_and_written(run: Any, submissions: Path) -> None:
    result = similar(run, submissions)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("lesson10: 1 pair that looks alike among 3 submissions\n")
    assert re.search(r"  100 %  ada  100 %  cleo +\d+\n", result.out)
    out = submissions.parent / "out"
    assert result.out.endswith(f"\n{out / 'index.html'}\n")
    assert sorted(written(out)) == [".course-similar", "index.html", "pair-0001.html", "pairs.csv"]
    assert "ada and cleo" in (out / "pair-0001.html").read_text()


def test_a_second_run_writes_the_same_bytes_and_leaves_no_old_page(run: Any, submissions: Path) -> None:
    out = submissions.parent / "out"
    similar(run, submissions)
    first = written(out)
    (out / "pair-0002.html").write_text("of an earlier run")
    (out / "mine.txt").write_text("a note")
    similar(run, submissions)
    assert written(out) == first | {"mine.txt": b"a note"}


def test_no_pairs_end_with_0_too(run: Any, submissions: Path) -> None:
    (submissions / "cleo.zip").write_text("no archive")
    result = similar(run, submissions, "--least", "100")
    assert result.code == 0
    assert result.out.startswith("lesson10: no pairs that look alike among 3 submissions\n")
    assert "cleo" in (submissions.parent / "out" / "index.html").read_text()


def test_a_roster_gives_the_names(run: Any, submissions: Path) -> None:
    roster = submissions.parent / "roster.csv"
    roster.write_text("id,repository\n0815,cleo\n0042,ada\n")
    result = similar(run, submissions, "--roster", roster)
    assert result.code == 0
    assert re.search(r"  100 %  0042  100 %  0815 ", result.out)


def test_a_folder_of_others_is_not_touched(run: Any, submissions: Path) -> None:
    out = submissions.parent / "out"
    out.mkdir()
    (out / "index.html").write_text("my page")
    result = similar(run, submissions)
    assert result.code == 2
    assert "did not write: name another folder" in result.err
    assert written(out) == {"index.html": b"my page"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere", "--exercise", "lesson10", "--out", "out"], "nowhere does not exist"),
        ([".", "--exercise", "lesson10", "--out", "out/inner"], "would be taken for a submission"),
        ([".", "--exercise", "lesson1", "--out", "../out"], "lesson10"),
        (["ada", "--exercise", "lesson10", "--out", "bob/shard.py"], "bob/shard.py cannot be used"),
        ([".", "--exercise", "lesson10", "--out", "../out", "--roster", "../none.csv"], "none.csv: cannot be read"),
        ([".", "--exercise", "lesson10", "--out", "../out", "--least", "0"], "--least"),
        ([".", "--out", "../out"], "--exercise"),
    ],
)
def test_wrong_usage(
    run: Any, submissions: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    shutil.copy(ROOT / "course.yml", submissions.parent)
    for name in ("exercises", "lessons", "glossary", "grader"):
        (submissions.parent / name).symlink_to(ROOT / name)
    monkeypatch.chdir(submissions)
    result = run("similar", *arguments)
    assert result.code == 2
    assert said in result.err
    assert not (submissions.parent / "out").exists()


def test_without_the_extra_it_says_what_to_install(
    run: Any, submissions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("grader.similar")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "copydetect.utils", None)
    result = similar(run, submissions)
    assert result.code == 2
    assert "pip install 'sharded-training-course[similar]'" in result.err


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_shows_two_sides_at_1280_pixels(run: Any, submissions: Path) -> None:
    similar(run, submissions)
    page = submissions.parent / "out" / "pair-0001.html"
    page.write_text(page.read_text().replace("</body>", MEASURE + "</body>"))
    shown = subprocess.run(
        [
            str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    found = re.search(r"<title>(\d+),(\d+),(\d+)</title>", shown)
    assert found is not None
    left, right, whole = map(int, found.groups())
    assert left == right > 500
    assert whole <= 1280
