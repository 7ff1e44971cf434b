"""``course batch`` killed at any moment: the same command goes on, and it ends as if nothing had happened."""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.scene import PR_SET_CHILD_SUBREAPER, descendants

CASES = Path(__file__).parents[1] / "cases"
PATIENCE = 30.0
SEED, KILLS = 7, 3
ANSWERS = {
    "right": "def longest(text):\n    return max(text.split(), key=len)\n",
    "wrong": "def longest(text):\n    return text\n",
    "unwritten": "def longest(text):\n    raise NotImplementedError\n",
}


@pytest.fixture
def adopted() -> Iterator[None]:
    """What a killed command leaves behind, however it hides, becomes a descendant of ours."""
    control = ctypes.CDLL(None, use_errno=True).prctl
    control(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    control(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    """Twelve tiny submissions, one of them of a file that nobody can grade."""
    folder = tmp_path / "handed in"
    for number, answer in enumerate([*ANSWERS.values()] * 4):
        (folder / f"learner{number:02}").mkdir(parents=True)
        (folder / f"learner{number:02}" / "words.py").write_text(answer)
    (folder / "learner12.pdf").write_bytes(b"%PDF-1.7")
    return folder


def start(handed_in: Path, results: Path, workers: int) -> subprocess.Popen[bytes]:
    arguments = ["batch", str(handed_in), "--exercise", "words", "--out", str(results), "--workers", str(workers)]
    return subprocess.Popen(
        [sys.executable, "-c", "from grader.cli import main; main()", *arguments],
        cwd=CASES / "course",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(handed_in: Path, results: Path) -> float:
    """Run the command to its end, and give the seconds that took."""
    started = time.monotonic()
    process = start(handed_in, results, workers=1)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said.decode()
    return time.monotonic() - started


def contents_of(results: Path) -> dict[str, object]:
    """All files, but for what times say."""
    files = {file.relative_to(results).as_posix(): file.read_text() for file in results.rglob("*") if file.is_file()}
    summary = files.pop("summary.md").partition("## Slowest")
    return {"summary.md": summary[0]} | {
        name: timeless(json.loads(text)) if name.endswith(".json") else re.sub(r"\d[\d.]* s\b", "", text)
        for name, text in files.items()
    }


def timeless(plain: object) -> object:
    if isinstance(plain, dict):
        return {key: timeless(value) for key, value in plain.items() if key not in ("seconds", "sizes", "digest")}
    return [timeless(each) for each in plain] if isinstance(plain, list) else plain


def test_a_killed_run_goes_on_and_leaves_no_process(handed_in: Path, tmp_path: Path, adopted: None) -> None:
    before = descendants(os.getpid()).keys()
    seconds = finish(handed_in, tmp_path / "undisturbed")
    results, moments = tmp_path / "killed", random.Random(SEED)
    for _ in range(KILLS):
        process = start(handed_in, results, workers=2)
        time.sleep(moments.uniform(0.2, 1) * seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while descendants(os.getpid()).keys() - before:
            assert time.monotonic() < deadline, descendants(os.getpid())
            time.sleep(0.05)
    finish(handed_in, results)
    assert contents_of(results) == contents_of(tmp_path / "undisturbed")
    shutil.rmtree(results)
