"""One training step at a trillion parameters in a process of its own, as JSON: what it took and what it counted.

``trillion.py ours`` is lesson 10's reference on the simulated cluster, ``trillion.py torch`` FSDP2 on fake tensors and
the fake process group, by the code of the oracle.
"""

from __future__ import annotations

import json
import math
import resource
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.authoring.measure import Run
    from grader.devices import Cluster, Modules

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "grader" / "suites" / "lesson10" / "reference"
GIVEN = ROOT / "exercises" / "lesson10" / "layers.py"
WORLD_SIZE, PARAMETERS, LAYERS, LIVE, DTYPE = 1024, 10**12, 128, 3, "float16"

# What takes a step, and says what it counted; made by what imports all that it needs.
Step = Callable[[], dict[str, Any]]


def side_of(layer_count: int) -> int:
    """The side of that many square layers of a trillion parameters."""
    return math.isqrt(PARAMETERS // layer_count)


def spread(count: int, world_size: int) -> list[int]:
    """``count`` ranks from the first to the last."""
    return [place * (world_size - 1) // (count - 1) for place in range(count)]


@cache
def reference() -> Modules:
    """Lesson 10's solution, and the layers that it is given, where Python finds them."""
    from grader.authoring.plugin import load_given
    from grader.devices import Modules

    load_given([GIVEN])
    return Modules(REFERENCE, given=[GIVEN])


def train(cluster: Cluster, layer_count: int, side: int, dtype: str = DTYPE) -> Run:
    """One step of square layers of ``side`` with one micro-batch of one row."""
    from grader.authoring.measure import measured
    from grader.devices import per_rank

    step = reference().train_step
    from layers import Linear

    layers = [Linear(f"layer{number}", (side, side)) for number in range(layer_count)]
    rows = -(-side // cluster.world_size)
    shards = [{layer.name: device.zeros((rows, side), dtype) for layer in layers} for device in cluster.devices]
    batches = [[(device.zeros((1, side), dtype), device.zeros((1, side), dtype))] for device in cluster.devices]
    return measured(cluster, step, layers, per_rank(shards), per_rank(batches), cluster.world, 0.5)


def shapes(layer_count: int, live: int, world_size: int = WORLD_SIZE) -> Run:
    """A step at a trillion parameters, without data."""
    from grader.devices import Cluster

    ranks = spread(live, world_size)
    cluster = Cluster(world_size, materialize=False, ranks=ranks, capacity=None, flops=None)
    return train(cluster, layer_count, side_of(layer_count))


def ours() -> Step:
    reference()

    def step() -> dict[str, Any]:
        run = shapes(LAYERS, LIVE)
        timeline, ledger = run.timeline(0), run.ledger
        kinds = sorted({event.operation for event in ledger.collectives()})
        return {
            "peak": {name: counts[timeline.peak or 0] for name, counts in timeline.parts} | {"Total": run.peak[0]},
            "collectives": {kind: (len(ledger.collectives(kind)), ledger.bytes_sent(0, kind)) for kind in kinds},
        }

    return step


def torch() -> Step:
    from tests.oracle.cases import Case, Layer, each_its_own
    from tests.oracle.live.peaks import measure

    def step() -> dict[str, Any]:
        side = side_of(LAYERS)
        layers = tuple(Layer(f"layer{number}", (side, side)) for number in range(LAYERS))
        case = Case("trillion", layers, (*each_its_own(layers), ()), rows=1)
        found = measure("fsdp2-true", case, WORLD_SIZE, DTYPE)
        collectives: dict[str, tuple[int, int]] = {}
        for kind, _, _, count, sent in found["collectives"]:
            counted = collectives.get(kind, (0, 0))
            collectives[kind] = (counted[0] + count, counted[1] + sent)
        return {"peak": found["peak"], "collectives": collectives}

    return step


WAYS: Mapping[str, Callable[[], Step]] = {"ours": ours, "torch": torch}


def peak_megabytes() -> float:
    """The most memory that this process has had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def main(way: str) -> None:
    start = time.perf_counter()
    step = WAYS[way]()
    imported, processor = time.perf_counter(), time.process_time()
    found = step()
    seconds = {
        "import": imported - start,
        "step": time.perf_counter() - imported,
        "processor": time.process_time() - processor,
    }
    print(json.dumps({**seconds, "megabytes": peak_megabytes(), **found}))


if __name__ == "__main__":
    main(sys.argv[1])
