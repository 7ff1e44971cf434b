"""``course reset``: a stub again, and no work lost."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest


def answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_work_is_kept_under_the_next_free_number(run: Any, work: Path) -> None:
    mine = (work / "shard.py").read_bytes()
    (work / "shard.py.1.bak").write_text("older")
    result = run("reset", work, "shard", "--yes")
    assert result.code == 0
    assert b"NotImplementedError" in (work / "shard.py").read_bytes()
    assert (work / "shard.py.1.bak").read_text() == "older"
    assert (work / "shard.py.2.bak").read_bytes() == mine
    assert f"Your work is in {work / 'shard.py.2.bak'}." in result.out


def test_it_asks_first(run: Any, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = (work / "shard.py").read_bytes()
    answer(monkeypatch, "n\n")
    assert "Nothing was changed." in run("reset", work, "shard").out
    assert (work / "shard.py").read_bytes() == mine
    answer(monkeypatch, "")
    assert run("reset", work, "shard").code == 130
    assert (work / "shard.py").read_bytes() == mine
    answer(monkeypatch, "y\n")
    assert run("reset", work, "shard").code == 0
    assert (work / "shard.py").read_bytes() != mine


def test_a_stub_stays_and_a_missing_file_comes_back(run: Any, work: Path) -> None:
    assert "is the stub already" in run("reset", work, "gather").out
    (work / "gather.py").unlink()
    assert run("reset", work, "gather", "--yes").code == 0
    assert (work / "gather.py").exists()
    assert not list(work.glob("*.bak"))


def test_functions_that_share_the_file_are_named(run: Any, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = work / "exercise.yml"
    manifest.write_text(manifest.read_text().replace("gather.py", "shard.py"))
    answer(monkeypatch, "n\n")
    assert "and with it gather?" in run("reset", work, "shard").out


def test_an_unknown_function_names_the_nearest(run: Any, work: Path) -> None:
    result = run("reset", work, "shrad", "--yes")
    assert result.code == 2
    assert "Did you mean shard?" in result.err
