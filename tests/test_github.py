"""What GitHub and pre-commit read of this repository: the forms, the workflows, the action, the hook."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import check_jsonschema
import pytest
import yaml
from click.testing import CliRunner

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
FORMS = sorted(file for file in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if file.name != "config.yml")
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"
COURSE = Path(sys.executable).with_name("course")
SMALL = Path(__file__).parent / "cases" / "course"
SCHEMAS = {
    "vendor.github-issue-forms": FORMS,
    "vendor.github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "vendor.github-workflows": WORKFLOWS,
    "vendor.github-actions": [ACTION],
}


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text("utf-8"))


def used(value: Any) -> Iterator[str]:
    """Every action that a workflow or action uses."""
    if isinstance(value, dict):
        if isinstance(value.get("uses"), str):
            yield value["uses"]
        for each in value.values():
            yield from used(each)
    elif isinstance(value, list):
        for each in value:
            yield from used(each)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_schemas(schema: str) -> None:
    done = CliRunner().invoke(check_jsonschema.main, ["--builtin-schema", schema, *map(str, SCHEMAS[schema])])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("file", [*WORKFLOWS, ACTION], ids=lambda file: file.name)
def test_actions_are_pinned(file: Path) -> None:
    found = [name for name in used(read(file)) if name != "./"]
    assert found
    for name in found:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name), name


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_the_token_only_reads(file: Path) -> None:
    workflow = read(file)
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job for job in workflow["jobs"].values())
    assert "pull_request_target" not in workflow[True]  # YAML 1.1 reads the key `on` so.


@pytest.mark.parametrize("file", [*WORKFLOWS, ACTION], ids=lambda file: file.name)
def test_no_script_is_made_of_what_others_give(file: Path) -> None:
    scripts = re.findall(r"run: (?:\|\n(?:\s{6,}.*\n)+|.*)", file.read_text("utf-8"))
    assert scripts
    assert not [script for script in scripts if "${{" in script]


def run_action(tmp_path: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run what the action runs, with this environment's `course` where the action installs one."""
    (tmp_path / "course" / "bin").mkdir(parents=True)
    (tmp_path / "course" / "bin" / "course").symlink_to(COURSE)
    script = read(ACTION)["runs"]["steps"][-1]["run"]
    bash = shutil.which("bash")
    assert bash is not None
    environment = {"PATH": "/usr/bin:/bin", "RUNNER_TEMP": str(tmp_path), "EXERCISE": "", "OPTIONS": "", **inputs}
    return subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env=environment, cwd=SMALL, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_action_grades(tmp_path: Path) -> None:
    work = tmp_path / "work" / "all.py"
    work.parent.mkdir()
    work.write_bytes((SMALL / "private" / "pieces" / "reference" / "keep.py").read_bytes())
    done = run_action(tmp_path, COMMAND="grade", TARGET=str(work), EXERCISE="pieces", OPTIONS="--only keep")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 of 3" in " ".join(done.stdout.split())


def test_the_action_knows_two_commands(tmp_path: Path) -> None:
    done = run_action(tmp_path, COMMAND="doctor; echo", TARGET=".")
    assert done.returncode == 2
    assert "must be check or grade" in done.stdout
