"""Runs all that torch is asked, and writes its answers: ``python -m tests.oracle.live [FOLDER]``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ..cases import CASES
from ..records import GOLDEN, assert_close
from . import peaks, pieces, steps
from .models import CONFIGURATIONS

WORLD_SIZES = (1, 2, 3, 4)
# What torch's tracker cannot follow: several forward passes, a unit that none uses, gathering over fewer ranks.
UNTRACKED = {"micro-batches", "unused", "fsdp2-int"}


def main(folder: Path) -> None:
    """Write every golden to ``folder``."""
    taken = [record for world_size in WORLD_SIZES for record in steps.measure(world_size)]
    numbers = {name: {str(size): _numbers(taken, name, size) for size in WORLD_SIZES} for name in CASES}
    with_numbers = {name: {size: each for size, each in found.items() if each} for name, found in numbers.items()}
    _write(folder / "steps.json", {"records": [_tracked(record) for record in taken]})
    _write(folder / "numbers.json", {name: found for name, found in with_numbers.items() if found})
    _write(folder / "peaks.json", {"records": [_large(*each) for each in peaks.LARGE]})
    owned = pieces.by_rows()
    assert owned == pieces.by_elements(), "rows and flat elements are cut by two rules"
    _write(folder / "pieces.json", {"owned": owned, "flat": pieces.flat_parameters()})


def _tracked(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with its peak in the place of its numbers; the fake ranks must call the same collectives."""
    name, case = record["configuration"], record["case"]
    peak = None
    if CONFIGURATIONS[name].tracked and not {name, case} & UNTRACKED:
        found = peaks.measure(name, CASES[case], record["world_size"], record["dtype"])
        assert record["world_size"] == 1 or found["collectives"] == record["collectives"]
        peak = found["peak"]
    return {**{key: value for key, value in record.items() if key != "numbers"}, "peak": peak}


def _large(name: str, case_name: str, world_size: int, dtype: str) -> dict[str, Any]:
    found = peaks.measure(name, CASES[case_name], world_size, dtype)
    return {**steps.description(name, case_name, world_size, dtype), **found}


def _numbers(taken: list[dict[str, Any]], case: str, world_size: int) -> dict[str, Any]:
    """Gradients and weights of a case, which each configuration must share."""
    found = [each["numbers"] for each in taken if (each["case"], each["world_size"]) == (case, world_size)]
    for which in ("gradients", "weights"):
        for numbers in found:
            assert numbers[which].keys() == found[0][which].keys()
            for name, values in numbers[which].items():
                assert_close(np.array(values), np.array(found[0][which][name]))
    return _rounded(found[0]) if found else {}


def _rounded(value: Any) -> Any:
    """Numbers to nine significant digits, whole ones without a point."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    short = float(f"{value:.9g}")
    return int(short) if short.is_integer() else short


def _write(path: Path, content: Mapping[str, Any]) -> None:
    """JSON with a line for each entry, and where it is from."""
    sections = [
        f'"torch": {json.dumps(torch.__version__.partition("+")[0])}',
        '"command": "python -m tests.oracle.live"',
        *(f"{json.dumps(key)}: {_lines(value)}" for key, value in content.items()),
    ]
    path.write_text("{\n" + ",\n".join(sections) + "\n}\n")


def _lines(value: Any) -> str:
    entries = [json.dumps(each) for each in value] if isinstance(value, list) else []
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}: {json.dumps(each, separators=(',', ':'))}" for key, each in value.items()]
    first, last = "[]" if isinstance(value, list) else "{}"
    return f"{first}\n" + ",\n".join(entries) + f"\n{last}"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN)
