"""What a training step costs at 1,024 ranks of which a few run: beside torch, then against layers and live ranks.

Shapes without data at a trillion parameters, then 64 ranks with data. The code that runs is lesson 10's reference.
Torch is the extra ``oracle``; without it ours runs alone.
"""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from timing import in_turn, print_table, scaled, timed
from trillion import LAYERS as MOST_LAYERS
from trillion import LIVE as FEWEST_LIVE
from trillion import ROOT, WORLD_SIZE, shapes, side_of, train

from grader.devices import Cluster

LAYERS = (16, 32, 64, MOST_LAYERS)
LIVE = (FEWEST_LIVE, 6, 12, 24, 48)
WORLD_SIZES = (64, 256, 1024, 4096)
SMALL_SIDE, SMALL_LAYERS, ALL_LIVE = 64, 8, 64
REPEATS = 5
LAYER_BYTES = side_of(MOST_LAYERS) ** 2 * 2  # of float16


def exponent(seconds: Mapping[int, float]) -> float:
    """The slope of a line through the points on logarithmic axes: 1 where twice as much costs twice as much.

    >>> round(exponent({1: 3.0, 2: 12.0, 4: 48.0}), 6)
    2.0
    """
    points = [(math.log(size), math.log(each)) for size, each in seconds.items()]
    x_mean, y_mean = (sum(values) / len(points) for values in zip(*points, strict=True))
    return sum((x - x_mean) * (y - y_mean) for x, y in points) / sum((x - x_mean) ** 2 for x, _ in points)


def against(title: str, what: str, sizes: Sequence[int], seconds: Mapping[str, float]) -> None:
    """A table of seconds by size, with the fitted exponent."""
    measured = {size: seconds[f"{what} {size}"] for size in sizes}
    rows = [[f"{size:,}", scaled(each), scaled(each / size)] for size, each in measured.items()]
    print_table(f"{title}: exponent {exponent(measured):.2f}", [what, "a step", f"of one of {what}"], rows)


def in_new_process(way: str) -> dict[str, Any]:
    """What one step took and counted."""
    command = [sys.executable, str(Path(__file__).with_name("trillion.py")), way]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(f"{command} ended with {ended.returncode}:\n{ended.stderr}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def beside_torch() -> None:
    """A step at a trillion parameters in new processes, in turn with torch's where that is installed."""
    ways = ["ours", "torch"]
    if importlib.util.find_spec("torch") is None:
        print("Torch is not installed (pip install -e '.[oracle]'): ours runs alone.")
        ways.remove("torch")
    turns = [{way: in_new_process(way) for way in ways} for _ in range(REPEATS)]
    rows = []
    for what, key, form in (
        ("a step, with its model", "step", scaled),
        ("processor time of that", "processor", scaled),
        ("imports before it", "import", scaled),
        ("memory of the process at most", "megabytes", "{:,.0f} MB".format),
    ):
        medians = [median(turn[way][key] for turn in turns) for way in ways]
        rows.append([what, *map(form, medians), *(f"{theirs / medians[0]:,.1f}" for theirs in medians[1:])])
    title = f"{MOST_LAYERS} layers of {side_of(MOST_LAYERS):,} x {side_of(MOST_LAYERS):,}, {WORLD_SIZE:,} ranks"
    print_table(f"{title}: {LIVE[0]} live ranks of ours, 1 of torch", ["", *ways, *["ratio"] * (len(ways) - 1)], rows)
    for way in ways:
        print_counted(way, turns[0][way])


def print_counted(way: str, found: Mapping[str, Any]) -> None:
    """Collectives, and bytes by category at the peak."""
    rows = [[kind, f"{count:,}", f"{sent:,}"] for kind, (count, sent) in sorted(found["collectives"].items())]
    print_table(f"{way}: collectives of rank 0", ["", "number", "bytes sent"], rows)
    rows = [[name, f"{size:,}", f"{size / LAYER_BYTES:.3f}"] for name, size in found["peak"].items()]
    print_table(f"{way}: bytes on rank 0 when there are most", ["", "bytes", "of a layer"], rows)


def main() -> None:
    beside_torch()
    runs = {f"layers {count}": timed(partial(shapes, count, LIVE[0])) for count in LAYERS}
    runs |= {f"live ranks {count}": timed(partial(shapes, LAYERS[0], count)) for count in LIVE}
    runs |= {f"ranks {size}": timed(partial(shapes, LAYERS[0], LIVE[0], size)) for size in WORLD_SIZES}
    data = partial(train, layer_count=SMALL_LAYERS, side=SMALL_SIDE, dtype="float32")
    runs["data"] = timed(lambda: data(Cluster(ALL_LIVE)))
    seconds = in_turn(runs, REPEATS)
    against(f"{LIVE[0]} live ranks of {WORLD_SIZE:,}", "layers", LAYERS, seconds)
    against(f"{LAYERS[0]} layers, {WORLD_SIZE:,} ranks", "live ranks", LIVE, seconds)
    against(f"{LAYERS[0]} layers, {LIVE[0]} live ranks", "ranks", WORLD_SIZES, seconds)
    title = f"{ALL_LIVE} ranks with data, {SMALL_LAYERS} layers of {SMALL_SIDE} x {SMALL_SIDE} float32"
    print_table(title, ["", "time"], [["a step", scaled(seconds["data"])]])


if __name__ == "__main__":
    main()
