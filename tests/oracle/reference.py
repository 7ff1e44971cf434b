"""Lesson 10's reference solution, run on the simulated cluster as torch was run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.authoring import Run, measured
from grader.authoring.local import LocalStudent
from grader.course import Course
from grader.devices import RANK, Cluster, per_rank
from grader.devices.ledger import Allocation

from .cases import Case, Host

ROOT = Path(__file__).parents[2]
EXERCISE = Course.find(ROOT).exercise("lesson10")
LAYERS = EXERCISE.folder / "layers.py"
SOLUTION = ROOT / "grader" / "suites" / "lesson10" / "reference"


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the reference: its run, the bytes of its pieces by rank, and the weights after it."""

    run: Run
    rest: tuple[int, ...]
    weights: Mapping[str, Host]


def solution() -> Any:
    """The functions of the reference."""
    return LocalStudent(SOLUTION, [LAYERS])


def layers_module() -> ModuleType:
    """The given layers."""
    spec = spec_from_file_location("layers", LAYERS)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def step(case: Case, cluster: Cluster, dtype: str) -> Step:
    """Shard the weights of ``case``, take a training step, and gather them if ``cluster`` has values."""
    student = solution()
    linear = layers_module().Linear
    layers = [linear(layer.name, layer.shape, layer.trainable) for layer in case.layers]
    shards: list[dict[str, Any]] = [{} for _ in cluster.ranks]
    for name, weight in case.weights().items():
        wholes = per_rank([device.array(weight.astype(dtype)) for device in cluster.devices])
        for own, piece in zip(shards, cluster.run(student.shard, wholes, RANK, cluster.world_size), strict=True):
            own[name] = piece
        del wholes
    rest = tuple(sum(piece.nbytes for piece in own.values()) for own in shards)
    batches = [
        [tuple(device.array(each.astype(dtype)) for each in batch) for batch in case.batches(rank)]
        for rank, device in zip(cluster.ranks, cluster.devices, strict=True)
    ]
    run = measured(cluster, student.train_step, layers, per_rank(shards), per_rank(batches), cluster.world, case.lr)
    weights = {}
    if cluster.machine.materialize:
        for name, layer in case.parameters.items():
            pieces = per_rank([own[name] for own in shards])
            weights[name] = cluster.run(student.gather, pieces, layer.shape, cluster.world)[0].numpy()
    return Step(run, rest, weights)


def at_peak(run: Run, rank: int) -> dict[str, int]:
    """Bytes on ``rank`` when there were most: those from before the run, and by what collectives did with them."""
    shares = [
        (event.operation, share) for event in run.ledger.collectives() if (share := event.share(rank)) is not None
    ]
    kinds = {number: "gradient pieces" for _, share in shares for number in share.outputs}
    kinds |= {number: "gathered" for name, share in shares if name.startswith("all_gather") for number in share.outputs}
    kinds |= {
        number: "whole gradients" for name, share in shares if name.startswith("reduce") for number in share.inputs
    }
    held = {"before": run.before[rank]}
    found = dict(held)
    for total, event in run.ledger.timeline(rank, run.before[rank]):
        kind = kinds.get(event.storage, "other")
        held[kind] = held.get(kind, 0) + (event.bytes if isinstance(event, Allocation) else -event.bytes)
        if total > sum(found.values()):
            found = dict(held)
    return found
