"""The file in which progress is kept: two that write at once, one that is killed, and files that are broken."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from grader.cli import _progress as module
from grader.cli._progress import keep, load
from grader.study import Event, History

from .conftest import FakeGrader

ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from grader.cli._progress import keep
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[2])):
    keep("answered", f"lesson{sys.argv[1]}#question-{number}", "right")
"""


def writer(name: int, count: int) -> subprocess.Popen[str]:
    """A process that is ready to keep ``count`` answers of its own."""
    command = [sys.executable, "-c", WRITER, str(name), str(count)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def together(*processes: subprocess.Popen[str]) -> None:
    """Let processes begin at once."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()


def test_nothing_is_lost_when_several_write_at_once(progress: Path) -> None:
    processes = [writer(name, 40) for name in range(3)]
    together(*processes)
    assert [process.communicate()[1] for process in processes] == [""] * 3
    kept = {event.item for event in History.parse(progress.read_bytes()).events}
    assert kept == {f"lesson{name}#question-{number}" for name in range(3) for number in range(40)}
    assert {file.name for file in progress.parent.iterdir()} == {"progress.json", ".progress.json.lock"}


def test_a_writer_that_is_killed_leaves_a_whole_file_and_no_lock(progress: Path) -> None:
    keep("read", "lesson1")
    process = writer(0, 100_000)
    together(process)
    while len(load().events) < 20:
        pass
    process.kill()
    process.communicate()
    kept = load().events
    keep("read", "lesson2")
    assert len(kept) >= 20
    assert load().events == (*kept, Event(date.today(), "read", "lesson2"))


def test_who_reads_while_another_writes_sees_the_old_file_whole(progress: Path) -> None:
    keep("read", "lesson1")
    before = progress.read_bytes()
    with progress.open("rb") as reader:
        keep("read", "lesson2")
        assert reader.read() == before
    assert progress.read_bytes() != before


def test_a_link_to_the_file_stays_a_link(progress: Path, tmp_path: Path) -> None:
    progress.parent.mkdir(parents=True)
    progress.symlink_to(tmp_path / "elsewhere.json")
    keep("read", "lesson1")
    assert progress.is_symlink()
    assert b"lesson1" in (tmp_path / "elsewhere.json").read_bytes()


@pytest.mark.parametrize("content", [b"", b'{"schema": 1, "eve', b"\xff", b'{"schema": 1, "events": [{}]}'])
def test_a_broken_file_is_kept_aside_and_said(
    progress: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.parent.mkdir(parents=True)
    progress.write_bytes(content)
    assert load() == History()
    aside = progress.with_name("progress.broken-1.json")
    assert aside.read_bytes() == content
    said = capsys.readouterr().err
    assert f"{progress} is broken" in said
    assert f"kept as {aside}" in said

    progress.write_bytes(content)
    keep("read", "lesson1")
    assert aside.with_name("progress.broken-2.json").read_bytes() == content
    assert [event.item for event in load().events] == ["lesson1"]


def test_a_newer_file_is_left_as_it_is(run: Any, work: Path, progress: Path) -> None:
    newer = json.dumps({"schema": 2, "events": []})
    progress.parent.mkdir(parents=True)
    progress.write_text(newer)
    result = run("progress")
    assert result.code == 2
    assert "your progress cannot be read: it has the form 2, and this version knows 1" in result.err
    graded = run("grade", work)
    assert graded.code == 1
    assert "does not enter your progress" in graded.err
    assert progress.read_text() == newer
    assert list(progress.parent.glob("*broken*")) == []


def test_a_command_does_not_wait_for_ever_for_another(
    progress: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    progress.parent.mkdir(parents=True)
    with (progress.parent / ".progress.json.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        keep("read", "lesson1")
    assert "another command holds" in capsys.readouterr().err
    keep("read", "lesson1")
    assert len(load().events) == 1


def test_a_folder_that_cannot_be_written_costs_the_progress_and_no_grade(run: Any, work: Path, progress: Path) -> None:
    progress.parents[1].write_text("a file in the place of the folder")
    result = run("grade", work)
    assert result.code == 1
    assert "2 of 3.5 points" in result.out
    assert f"does not enter your progress: {progress.parents[1]}" in result.err


def test_a_tick_that_cannot_be_kept_is_no_success(run: Any, progress: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    progress.parents[1].write_text("a file in the place of the folder")
    result = run("progress", "--done", "read-forward")
    assert (result.code, result.out) == (2, "")
    assert "does not enter your progress" in result.err


def test_whatever_fails_the_grade_stands(run: Any, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: str) -> None:
        raise ZeroDivisionError("unforeseen")

    monkeypatch.setattr(module, "keep", fails)
    result = run("grade", work)
    assert (result.code, result.err) == (1, "Note: this does not enter your progress: ZeroDivisionError: unforeseen.\n")


def test_a_grade_of_everything_is_kept(run: Any, work: Path) -> None:
    assert (run("grade", work).code, run("grade", work).code) == (1, 1)
    assert load().events == (Event(date.today(), "graded", "lesson9", "2 of 3.5"),)


def test_a_grade_of_a_part_is_not_kept(run: Any, work: Path, progress: Path) -> None:
    run("grade", work, "--only", "shard")
    assert not progress.exists()


def test_a_grade_without_a_score_is_not_kept(
    run: Any, work: Path, progress: Path, fake: type[FakeGrader], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fake, "faulty", True)
    assert run("grade", work).code == 3
    assert not progress.exists()
