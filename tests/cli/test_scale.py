"""``course scale``: a table for one number of devices or several, JSON, a picture, a trace, and what can be wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import Result, Run

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "grader" / "suites" / "lesson10" / "reference"
SMALL = ("--parameters", "1e6", "--layers", "4")
Scale = Callable[..., Result]
WIDTH = 80


@pytest.fixture
def scale(run: Run, monkeypatch: pytest.MonkeyPatch) -> Scale:
    """Run ``course scale`` on work on lesson 10, the reference if no other is named."""
    monkeypatch.chdir(ROOT)
    return lambda *arguments, work=REFERENCE: run("scale", work, "--exercise", "lesson10", *arguments)


def test_one_number_of_devices_is_a_table_of_ways() -> None:
    command = ["-c", "from grader.cli import main; main()", "scale", str(REFERENCE), "--exercise", "lesson10"]
    result = subprocess.run(
        [sys.executable, *command, *SMALL, "--devices", "8"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "1e+06 parameters in 4 layers of 500 x 500, 16 bits, Adam"
    rows = {line[:26].strip(): line[26:].split("  ") for line in lines if line}
    assert [each.strip() for each in rows["8 devices"] if each.strip()] == [
        "yours", "stage 0", "stage 1", "stage 2", "stage 3",
    ]  # fmt: skip
    held = ("at rest", "gathered weights", "gradients", "gradient pieces", "activations, temporaries")
    assert all(len(re.findall(r"\d [kM]?B", " ".join(rows[each]))) == 5 for each in held)
    assert max(map(len, lines)) <= WIDTH


def test_several_are_a_table_for_each_number(scale: Scale) -> None:
    result = scale(*SMALL, "--devices", "8..32")
    assert result.code == 0
    titles = ("bytes at rest", "bytes at peak", "bytes sent", "time of a step", "communicating", "waiting for it")
    assert all(f"\n{title} " in result.out for title in titles)
    assert sum(line.startswith(("8 ", "16 ", "32 ")) for line in result.out.splitlines()) == 3 * 6


def test_as_data_with_a_picture_and_a_trace(scale: Scale, tmp_path: Path) -> None:
    svg, trace = tmp_path / "memory.svg", tmp_path / "step.json"
    result = scale(*SMALL, "--devices", "8,64", "--format", "json", "--svg", svg, "--trace", trace)
    found = json.loads(result.out)
    assert (found["parameters"], found["layer"], found["chip"]["name"]) == (1_000_000, [500, 500], "H100")
    assert [(cost["name"], cost["devices"]) for cost in found["costs"][:2]] == [("yours", 8), ("stage 0", 8)]
    assert all(cost["fits"] and sum(cost["at_peak"].values()) == cost["peak"] for cost in found["costs"])
    assert "yours: " in words(svg)
    entries = json.loads(trace.read_text())["traceEvents"]
    assert {"matmul", "all_gather_into_tensor", "memory"} <= {entry["name"] for entry in entries}
    memory = [entry["args"]["bytes"] for entry in entries if entry["ph"] == "C" and entry["pid"] == 0]
    rest = found["costs"][0]["rest"]
    assert (min(memory) > rest, max(memory)) == (True, found["costs"][0]["peak"])


def words(svg: Path) -> str:
    """What a picture says of itself."""
    described = ElementTree.parse(svg).getroot().find("{http://www.w3.org/2000/svg}desc")
    assert described is not None
    return described.text or ""


def test_one_number_of_devices_is_drawn_as_a_step_over_time(scale: Scale, tmp_path: Path) -> None:
    svg = tmp_path / "step.svg"
    result = scale(*SMALL, "--devices", "8", "--unit", "2", "--prefetch", "--svg", svg)
    assert result.code == 0
    assert "The stages gather units of 2 layers, the next unit ahead of its turn\n" in result.out
    assert "Bytes at the peak: at rest 1," in words(svg)
    assert "of the communication is hidden by compute" in words(svg)


def test_stages_gather_units_ahead_where_that_is_asked_for(scale: Scale) -> None:
    result = scale(*SMALL, "--devices", "8", "--unit", "2", "--prefetch", "--format", "json")
    found = json.loads(result.out)
    assert (found["layers_per_unit"], found["prefetch"]) == (2, True)
    yours, *_, third = found["costs"]
    assert (yours["collectives"]["all_gather_into_tensor"], third["collectives"]["all_gather_into_tensor"]) == (8, 4)
    assert third["waiting_share"] < third["communication_share"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--parameters", "many"), "many is not a number, such as 1e12"),
        (("--parameters", "0.5"), "0.5 is not a whole number from 1 to 1e15"),
        (("--devices", "8-16"), "8-16: a number of devices, or several as in 8,64 or in 8..4096"),
        (("--devices", "16..8"), "16..8: from 1 to 1,048,576 devices"),
        (("--chip", "abacus"), "abacus is not known; there are a100, h100, h200, b200"),
        (("--link", "string"), "string is not known; there are nvlink-1"),
    ],
)
def test_wrong_usage(scale: Scale, arguments: tuple[str, ...], message: str) -> None:
    result = scale(*arguments)
    assert (result.code, result.out) == (2, "")
    assert message in " ".join(result.err.split())


def test_work_that_is_not_written_says_so(scale: Scale) -> None:
    result = scale(*SMALL, work=ROOT / "exercises" / "lesson10")
    assert (result.code, result.out, result.err) == (1, "", "shard is not written yet.\n")


def test_work_that_fails_at_this_size_says_where(scale: Scale, tmp_path: Path) -> None:
    for path in REFERENCE.glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "shard.py").write_text("def shard(full, rank, world_size):\n    return full[int(full[0, 0])]\n")
    result = scale(*SMALL, work=tmp_path)
    assert result.code == 1
    assert result.err.startswith("shard fails at this size.\n  shard.py, line 2: NoDataError: ")
