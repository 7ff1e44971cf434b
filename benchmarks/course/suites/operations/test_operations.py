"""Times each function in this process and through the wire, in turn. A criterion's message is what it found."""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from grader.authoring import Failed, criterion
from grader.devices import Cluster, Modules, per_rank

FUNCTIONS = ("elementwise", "in_place", "layers", "read")
LOCAL = Modules(Path(__file__).parent / "reference", homes=dict.fromkeys(FUNCTIONS, "loops.py"))
REPEATS = 9


def compare(student: Any, name: str, world_size: int, shape: tuple[int, ...], times: int) -> None:
    """Fail with the median seconds of a turn of function ``name``, here and in the worker."""
    seconds: dict[str, list[float]] = {"local": [], "streamed": []}
    for _ in range(REPEATS + 1):
        for where, functions in (("local", LOCAL), ("streamed", student)):
            cluster = Cluster(world_size)
            arrays = per_rank([device.array(np.zeros(shape, np.float32)) for device in cluster.devices])
            group = [cluster.world] if name == "layers" else []
            start = time.perf_counter()
            cluster.run(getattr(functions, name), arrays, times, *group)
            seconds[where].append(time.perf_counter() - start)
    raise Failed(json.dumps({where: median(each[1:]) / times / world_size for where, each in seconds.items()}))


@criterion("elementwise", points=1, title="new arrays")
def test_cost_of_elementwise(student: Any) -> None:
    compare(student, "elementwise", 1, (8,), 4000)


@criterion("in_place", points=1, title="in place")
def test_cost_of_in_place(student: Any) -> None:
    compare(student, "in_place", 1, (8,), 4000)


@criterion("layers", points=1, title="a sharded layer")
def test_cost_of_layers(student: Any) -> None:
    compare(student, "layers", 8, (1, 8), 60)


@criterion("read", points=1, title="reads")
def test_cost_of_read(student: Any) -> None:
    compare(student, "read", 1, (16,), 2000)
