"""Training steps of the stages on the simulated cluster, with data left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.authoring.measure import Run, measured
from grader.devices import per_rank
from grader.scale import STAGES, Model
from grader.strategies import ZERO, Adam, Flat, Settings, prepared

NAMES = dict(zip(STAGES, ("Data parallelism", "Stage 1", "Stage 2", "Stage 3"), strict=True))
# Flat pieces divide evenly here, so that what is measured is what the lessons work out.
SETTINGS = Settings(Adam(), ZERO, sharding=Flat)


@dataclass(frozen=True, slots=True)
class Step:
    """What rank 0 keeps between steps, in bytes by kind, and a step of all ranks."""

    at_rest: Mapping[str, int]
    run: Run


def at_rest(model: Model, stage: str, devices: int) -> Mapping[str, int]:
    """What rank 0 keeps of ``model`` between steps at a stage, in bytes by kind.

    >>> from grader.devices.hardware import A100
    >>> dict(at_rest(Model(7_500_000_000, 12, A100), "stage2", 8))
    {'parameters': 15000000000, 'gradients': 1875000000, 'optimizer': 11250000000}
    """
    made, _ = prepared(model.cluster(devices), stage, model.layers, model.rows, SETTINGS)
    return made[0].bytes_at_rest()


def step(model: Model, stage: str, devices: int, micro_batches: int = 1) -> Step:
    """Train ``model`` at a stage on so many devices for one step."""
    cluster, layers = model.cluster(devices), model.layers
    made, batches = prepared(cluster, stage, layers, model.rows, SETTINGS, micro_batches)
    run = measured(cluster, lambda one, batch: one.step(layers, batch, lr=0.5), per_rank(made), per_rank(batches))
    return Step(made[0].bytes_at_rest(), run)
