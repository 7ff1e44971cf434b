"""``course start``: a folder of one's own, and nothing overwritten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def test_stubs_are_pristine_whatever_the_course_folder_holds(run: Any, work: Path, tmp_path: Path) -> None:
    folder = tmp_path / "home" / "lesson9"
    result = run("start", "lesson9", folder)
    assert result.code == 0
    assert sorted(file.name for file in folder.iterdir()) == ["README.md", "gather.py", "layers.py", "shard.py"]
    assert b"NotImplementedError" in (folder / "shard.py").read_bytes()
    assert f"course grade {folder} --only shard\n" in result.out
    assert run("grade", folder).code == 1


def test_another_folder_name_needs_the_option(run: Any, root: Path, tmp_path: Path) -> None:
    result = run("start", "lesson9", tmp_path / "mine")
    assert f"course grade {tmp_path / 'mine'} --exercise lesson9 --only shard\n" in result.out


def test_nothing_is_overwritten(run: Any, root: Path, tmp_path: Path) -> None:
    (tmp_path / "gather.py").write_text("mine")
    result = run("start", "lesson9", tmp_path)
    assert result.code == 2
    assert "has gather.py already. Nothing was copied." in result.err
    assert (tmp_path / "gather.py").read_text() == "mine"
    assert not (tmp_path / "shard.py").exists()


def test_a_copy_that_fails_half_way_leaves_nothing(
    run: Any, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gather.py").symlink_to("nowhere/else")  # does not exist, and cannot be made
    result = run("start", "lesson9", tmp_path)
    assert result.code == 2
    assert "cannot be written" in result.err
    assert not (tmp_path / "shard.py").exists()
    assert not (tmp_path / "README.md").exists()


def test_an_unknown_exercise_names_the_nearest(run: Any, root: Path, tmp_path: Path) -> None:
    result = run("start", "leson9", tmp_path / "x")
    assert result.code == 2
    assert "Did you mean lesson9?" in result.err


def test_a_course_without_its_stubs_is_at_fault(run: Any, root: Path, tmp_path: Path) -> None:
    (root / "exercises" / "lesson9" / ".pristine" / "gather.py").unlink()
    result = run("start", "lesson9", tmp_path / "x")
    assert result.code == 3
    assert "gather.py: cannot be read" in result.err
