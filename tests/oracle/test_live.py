"""Torch is run again and must say what the goldens say."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .records import GOLDEN, assert_close, golden
from .reference import ROOT

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch: pip install -e '.[oracle]'"),
]
NAMES = sorted(path.stem for path in GOLDEN.glob("*.json"))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    command = [sys.executable, "-m", "tests.oracle.live", str(folder)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_torch_says_what_the_golden_says(measured: Path, name: str) -> None:
    expect_same(json.loads((measured / f"{name}.json").read_text()), golden(name), numbers=name == "numbers")


def test_torch_says_nothing_else(measured: Path) -> None:
    assert sorted(path.stem for path in measured.iterdir()) == NAMES


def expect_same(found: Any, wanted: Any, numbers: bool) -> None:
    """The same content; ``numbers`` in nested lists agree nearly."""
    if numbers and isinstance(wanted, list):
        assert_close(np.array(found, float), np.array(wanted, float))
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            expect_same(found[key], value, numbers)
    else:
        assert found == wanted
