"""Criteria of ``release``."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring import criterion


@criterion(
    "release",
    points=2,
    title="gives the gathered storage back, whoever still holds a view",
    needs=["gather-even"],
    hint="`del` forgets one name; storage lives while anyone holds a view of it. Which method gives storage back whoever holds it?",
)
def test_frees(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "release",
    points=1,
    title="leaves the shard readable and unchanged",
    needs=["release-frees"],
    hint="Whose storage is the one that you free: that of the gathered parameter alone?",
)
def test_shard(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "release",
    points=1,
    title="frees nothing but the parameter that it is given",
    needs=["release-frees"],
    hint="Which arrays does `release` reach, besides its argument?",
)
def test_others(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "release",
    points=1,
    title="does no harm the second time",
    needs=["release-frees"],
    hint="How can an array tell whether its storage was given back already?",
)
def test_twice(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")
