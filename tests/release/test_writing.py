"""A release replaces what it wrote, leaves the rest alone, and refuses before it changes anything."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.release import ReleaseRefused, Written, write_release
from grader.release.writing import BESIDE, RECORD

FIRST = {"README.md": b"first", "lessons/a.md": b"a", "lessons/old/b.md": b"b"}
SECOND = {"README.md": b"second", "lessons/a.md": b"a", "glossary/c.md": b"c"}


def content(out: Path) -> dict[str, bytes]:
    """The files of a folder, but for the record."""
    files = {file.relative_to(out).as_posix(): file for file in out.rglob("*") if file.is_file()}
    return {name: file.read_bytes() for name, file in files.items() if name != RECORD}


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    assert write_release(tmp_path / "out", FIRST) == Written(new=3, changed=0, removed=0, total=3)
    return tmp_path / "out"


def test_a_later_release_updates_adds_and_removes(out: Path) -> None:
    (out / ".git").mkdir()
    (out / ".git" / "HEAD").write_bytes(b"theirs")
    (out / "lessons" / "theirs.md").write_bytes(b"theirs")
    assert write_release(out, SECOND) == Written(new=1, changed=1, removed=1, total=3)
    assert content(out) == {**SECOND, ".git/HEAD": b"theirs", "lessons/theirs.md": b"theirs"}
    assert not (out / "lessons" / "old").exists()
    assert write_release(out, SECOND) == Written(new=0, changed=0, removed=0, total=3)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("README.md", r"changed since they were released: README\.md$"),
        ("lessons/old/b.md", r"changed since they were released: lessons/old/b\.md$"),
        ("glossary/c.md", r"not written by a release and stand in the way: glossary/c\.md$"),
    ],
)
def test_work_of_others_is_never_overwritten(out: Path, name: str, why: str) -> None:
    (out / name).parent.mkdir(exist_ok=True)
    (out / name).write_bytes(b"theirs")
    before = content(out)
    with pytest.raises(ReleaseRefused, match=why):
        write_release(out, SECOND)
    assert content(out) == before


def test_a_deleted_file_comes_back(out: Path) -> None:
    (out / "README.md").unlink()
    assert write_release(out, FIRST).new == 1
    assert content(out) == FIRST


def test_links_are_not_followed(out: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (out / "glossary").symlink_to(elsewhere)
    with pytest.raises(ReleaseRefused, match=r"glossary/c\.md"):
        write_release(out, SECOND)
    assert list(elsewhere.iterdir()) == []


def test_a_file_where_a_folder_must_be_stands_in_the_way(out: Path) -> None:
    (out / "glossary").write_bytes(b"theirs")
    with pytest.raises(ReleaseRefused, match=r"glossary/c\.md"):
        write_release(out, SECOND)


def test_what_an_interrupted_release_left_is_taken_up(out: Path) -> None:
    (out / "README.md").write_bytes(SECOND["README.md"])
    (out / "glossary").mkdir()
    (out / "glossary" / "c.md").write_bytes(SECOND["glossary/c.md"])
    (out / BESIDE / "lessons").mkdir(parents=True)
    (out / BESIDE / "README.md").write_bytes(b"half")
    assert write_release(out, SECOND) == Written(new=0, changed=0, removed=1, total=3)
    assert content(out) == SECOND


def test_nothing_is_left_of_a_release_that_cannot_be_written(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        write_release(out, SECOND)
    monkeypatch.undo()
    assert content(out) == FIRST
    assert sorted(out.iterdir()) == [out / RECORD, out / "README.md", out / "lessons"]


@pytest.mark.parametrize(
    "record", ["", "[]", '{"format": 2, "files": {"a": "b"}}', '{"format": 1, "files": {"../a": "b"}}']
)
def test_a_record_of_others_is_refused(tmp_path: Path, record: str) -> None:
    (tmp_path / RECORD).write_text(record)
    with pytest.raises(ReleaseRefused, match="is not what a release of this version wrote"):
        write_release(tmp_path, FIRST)
    assert (tmp_path / RECORD).read_text() == record


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("theirs")
    with pytest.raises(ReleaseRefused, match="is no folder"):
        write_release(tmp_path / "out", FIRST)


def test_the_record_and_all_rights_are_the_same_everywhere(tmp_path: Path) -> None:
    for place, mask in (("a", 0o077), ("b", 0o000)):
        with umask(mask):
            write_release(tmp_path / place, dict(reversed(FIRST.items())) if mask else FIRST)
    records = [(tmp_path / place / RECORD).read_bytes() for place in ("a", "b")]
    assert records[0] == records[1]
    assert list(json.loads(records[0])["files"]) == sorted(FIRST)
    modes = [
        {path.relative_to(tmp_path / place): path.stat().st_mode for path in (tmp_path / place).rglob("*")}
        for place in ("a", "b")
    ]
    assert modes[0] == modes[1]
