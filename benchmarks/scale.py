"""What a training step costs at 1,024 ranks of which a few run, against layers and against those that run.

Shapes without data at a trillion parameters, then 64 ranks with data. The code that runs is lesson 10's reference.
"""

from __future__ import annotations

import math
import resource
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from timing import in_turn, print_table, scaled, timed

from grader.authoring.plugin import load_given
from grader.devices import Cluster, Modules, per_rank

ROOT = Path(__file__).parents[1]
GIVEN = ROOT / "exercises" / "lesson10" / "layers.py"
REFERENCE = Modules(ROOT / "grader" / "suites" / "lesson10" / "reference", given=[GIVEN])
WORLD_SIZE = 1024
PARAMETERS = 10**12
LAYERS = (16, 32, 64, 128)
LIVE = (3, 6, 12, 24, 48)
WORLD_SIZES = (64, 256, 1024, 4096)
SMALL_SIDE, SMALL_LAYERS, ALL_LIVE = 64, 8, 64
REPEATS = 5


def spread(count: int, world_size: int) -> list[int]:
    """``count`` ranks from the first to the last."""
    return [place * (world_size - 1) // (count - 1) for place in range(count)]


def train(cluster: Cluster, layer_count: int, side: int, dtype: str = "float16") -> Cluster:
    """One step of square layers of ``side`` with one micro-batch of one row."""
    from layers import Linear

    layers = [Linear(f"layer{number}", (side, side)) for number in range(layer_count)]
    rows = -(-side // cluster.world_size)
    shards = [{layer.name: device.zeros((rows, side), dtype) for layer in layers} for device in cluster.devices]
    batches = [[(device.zeros((1, side), dtype), device.zeros((1, side), dtype))] for device in cluster.devices]
    cluster.run(REFERENCE.train_step, layers, per_rank(shards), per_rank(batches), cluster.world, 0.5)
    return cluster


def shapes(layer_count: int, live: int, world_size: int = WORLD_SIZE) -> Cluster:
    """A step at a trillion parameters, without data."""
    ranks = spread(live, world_size)
    cluster = Cluster(world_size, materialize=False, ranks=ranks, capacity=None, flops=None)
    return train(cluster, layer_count, math.isqrt(PARAMETERS // layer_count))


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


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main() -> None:
    load_given([GIVEN])
    step = timed(partial(shapes, LAYERS[-1], LIVE[0]))()
    cluster = shapes(LAYERS[-1], LIVE[0])
    rank = cluster.devices[-1]
    rows = [
        ["time of the first step", scaled(step)],
        ["memory of this process at most", f"{peak_megabytes():,.0f} MB"],
        ["events in the ledger", f"{len(cluster.ledger.events):,}"],
        ["simulated bytes sent by a rank", f"{cluster.ledger.bytes_sent(rank.rank):,}"],
        ["simulated bytes of a device at most", f"{rank.max_memory_allocated():,}"],
    ]
    title = f"{PARAMETERS:,} parameters, {LAYERS[-1]} layers, {WORLD_SIZE:,} ranks of which {LIVE[0]} run"
    print_table(title, ["shapes without data", ""], rows)

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
