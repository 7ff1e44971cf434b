"""``course hint``: one more each time, remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def test_one_more_hint_each_time(run: Any, work: Path) -> None:
    first, second, third = (run("hint", work, "shard") for _ in range(3))
    assert "hint 1 of 2\n\n  First." in first.out
    assert f"More   course hint {work} shard\n" in first.out
    assert "hint 2 of 2\n\n  Second." in second.out
    assert f"Next   course grade {work} --only shard\n" in second.out
    assert "you have seen all 2" in third.out
    assert {first.code, second.code, third.code} == {0}


def test_functions_are_counted_apart_and_an_id_will_do(run: Any, work: Path) -> None:
    run("hint", work, "shard")
    assert "hint 1 of 1" in run("hint", "lesson9", "gather").out
    assert "hint 2 of 2" in run("hint", "lesson9", "shard").out


def test_again_shows_what_was_seen_and_reset_forgets(run: Any, work: Path) -> None:
    assert "no hint seen yet" in run("hint", work, "shard", "--again").out
    run("hint", work, "shard")
    assert "First." in run("hint", work, "shard", "--again").out
    assert "Second." not in run("hint", work, "shard", "--again").out
    run("hint", work, "shard", "--reset")
    assert "hint 1 of 2" in run("hint", work, "shard").out


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"lesson9/shard": "many"}', '{"lesson9/shard": -5}', "[" * 100_000]
)
def test_a_broken_memory_is_an_empty_one(run: Any, work: Path, state: Path, content: str) -> None:
    state.mkdir(parents=True)
    (state / "hints.json").write_text(content)
    assert "hint 1 of 2" in run("hint", work, "shard").out
    assert "hint 2 of 2" in run("hint", work, "shard").out


def test_a_hint_is_given_although_nothing_can_be_remembered(run: Any, work: Path, state: Path) -> None:
    state.parent.mkdir(parents=True)
    state.write_text("a file where the folder should be")
    result = run("hint", work, "shard")
    assert result.code == 0
    assert "First." in result.out
    assert "will come again" in result.err


@pytest.mark.parametrize(("path", "function"), [("lesson8", "shard"), ("lesson9", "shar")])
def test_wrong_names_are_usage_errors(run: Any, root: Path, path: str, function: str) -> None:
    result = run("hint", path, function)
    assert result.code == 2
    assert "Did you mean" in result.err
