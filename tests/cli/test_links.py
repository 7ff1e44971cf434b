"""``course links``, on pages that link to a server of this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.links.server import Server, running

from .conftest import Run


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield from running(server)


@pytest.fixture
def links(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``course links`` in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    return lambda *arguments: run("links", *arguments)


def write(folder: Path, server: Server) -> None:
    (folder / "a.md").write_text(
        f"# A\n\n[good]({server.url}/code/200#part) and [gone]({server.url}/code/404)\n\n"
        f"[moved]({server.url}/to/301/code/200), [shy]({server.url}/code/403), [gone]({server.url}/code/404#x)\n",
        "utf-8",
    )
    (folder / "b.md").write_text(f"# B\n\n[other]({server.url}/code/204)\n", "utf-8")


def test_each_place_is_said(links: Run, tmp_path: Path, server: Server) -> None:
    write(tmp_path, server)
    done = links("--format", "json")
    assert done.code == 1, done.err
    found = [
        (each["severity"], each["path"], each["line"], each["column"], each["message"].partition(":")[0], each["fix"])
        for each in json.loads(done.out)["findings"]
    ]
    assert found == [
        ("error", "a.md", 3, len(f"[good]({server.url}/code/200#part) and ") + 1, "broken", None),
        ("warning", "a.md", 5, 1, "moved", f"link {server.url}/code/200"),
        ("warning", "a.md", 5, len(f"[moved]({server.url}/to/301/code/200), ") + 1, "unknown", None),
        ("error", "a.md", 5, len(f"[moved]({server.url}/to/301/code/200), [shy]({server.url}/code/403), ") + 1,
         "broken", None),
    ]  # fmt: skip


def test_the_text_shows_the_line_and_counts_addresses(links: Run, tmp_path: Path, server: Server) -> None:
    write(tmp_path, server)
    done = links()
    assert f"broken: {server.url}/code/404: 404 Not Found" in " ".join(done.out.split())
    assert "5 different addresses, 2 ok, 1 moved, 1 broken, 1 unknown; 0 of them as remembered" in done.out


def test_what_was_good_is_remembered_and_what_was_not_is_asked_again(
    links: Run, tmp_path: Path, server: Server
) -> None:
    write(tmp_path, server)
    assert links().out.replace("; 0 of them", "; 3 of them") == links().out
    asked = {path: count for (method, path), count in server.asked.items() if method == "HEAD"}
    assert asked == {"/code/200": 2, "/code/204": 1, "/to/301/code/200": 1, "/code/404": 2, "/code/403": 2}
    links("--max-age", "0")
    assert server.asked["HEAD", "/code/204"] == 2


def test_a_broken_memory_is_no_trouble(links: Run, tmp_path: Path, server: Server) -> None:
    write(tmp_path, server)
    file = tmp_path / "cache" / "sharded-training" / "links.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\xff\x00")
    assert links("b.md").code == 0
    assert json.loads(file.read_bytes())["answers"]


def test_paths_and_patterns_choose(links: Run, tmp_path: Path, server: Server) -> None:
    write(tmp_path, server)
    assert links("--list", "b.md").out == f"{server.url}/code/204\n"
    listed = links("--list", "--ignore", "/code/").out
    assert listed == ""
    assert not server.asked


def test_a_course_says_what_is_left_out(links: Run, tmp_path: Path, server: Server) -> None:
    write(tmp_path, server)
    (tmp_path / "course.yml").write_text(
        "schema: 1\ntitle: A\ndescription: A course.\nignored_links: ['/code/40[34]$']\n", "utf-8"
    )
    assert "/code/40" not in links("--list").out
    assert links().code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ignore", "("], "is no regular expression"),
        (["nowhere.md"], "there is no file or folder nowhere.md"),
        (["--max-age", "-1"], "-1"),
    ],
)
def test_wrong_usage(links: Run, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "a.md").write_text("# A\n", "utf-8")
    done = links(*arguments)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_without_httpx_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n", "utf-8")
    (tmp_path / "httpx.py").write_text("raise ModuleNotFoundError('No module named httpx', name='httpx')\n", "utf-8")
    command = [sys.executable, "-c", "from grader.cli import main; main()", "links"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'sharded-training-course[links]'" in done.stderr
