"""A learner's way through an exercise, with the real command and the real grader."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from grader import report

SECOND = Path(__file__).parent / "cases" / "course"
REFERENCE = SECOND / "private" / "pieces" / "reference"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "COLUMNS": "80"}


def course(*arguments: str | Path, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from grader.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120)


def test_from_the_start_to_full_marks(tmp_path: Path, environment: dict[str, str]) -> None:
    started = course("start", "pieces", tmp_path / "mine", cwd=SECOND, env=environment)
    assert started.returncode == 0, started.stderr
    arguments = ("grade", tmp_path / "mine", "--exercise", "pieces")
    untouched = course(*arguments, cwd=SECOND, env=environment)
    assert untouched.returncode == 1, untouched.stderr
    assert "write keep in keep.py" in untouched.stdout
    assert "\x1b" not in untouched.stdout
    for path in REFERENCE.glob("*.py"):
        (tmp_path / "mine" / path.name).write_bytes(path.read_bytes())
    done = course(*arguments, cwd=SECOND, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "5 of 5 points" in done.stdout


def test_json_is_what_the_schema_says(tmp_path: Path, environment: dict[str, str]) -> None:
    file = tmp_path / "report.json"
    arguments = ("grade", REFERENCE, "--exercise", "pieces", "--format", "json", "--output", file)
    graded = course(*arguments, cwd=SECOND, env=environment)
    assert graded.returncode == 0, graded.stderr
    data = json.loads(file.read_text("utf-8"))
    schema = Path(report.__file__).parent / "schemas" / "report.json"
    jsonschema.validate(data, json.loads(schema.read_text("utf-8")))
    assert (data["earned"], data["points"], data["seed"]) == (5, 5, 1)


def test_a_broken_manifest_is_its_authors_fault(tmp_path: Path, environment: dict[str, str]) -> None:
    exercise = tmp_path / "exercises" / "words"
    exercise.mkdir(parents=True)
    (tmp_path / "course.yml").write_bytes((SECOND / "course.yml").read_bytes())
    text = (SECOND / "exercises" / "words" / "exercise.yml").read_text("utf-8")
    (exercise / "exercise.yml").write_text(text.replace("points: 1", "pionts: 1"))
    graded = course("grade", exercise, cwd=tmp_path, env=environment)
    assert graded.returncode == 3
    assert "exercise.yml:7:5" in graded.stderr
    assert "points" in graded.stderr
    assert "Traceback" not in graded.stderr + graded.stdout
