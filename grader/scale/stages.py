"""The stages of ZeRO at scale, by the reference strategies."""

from __future__ import annotations

from grader.authoring.measure import measured
from grader.devices import per_rank
from grader.strategies import ZERO, Adam, Settings, prepared

from .model import Cost, Model, cost_of

STAGES = ("stage0", "stage1", "stage2", "stage3")


def stage(name: str, model: Model, devices: int) -> Cost:
    """What one of ``STAGES`` costs on so many devices.

    >>> from grader.devices.hardware import H100
    >>> cost = stage("stage3", Model(2**20, 4, H100), 8)
    >>> cost.rest == 16 * 2**20 // 8, cost.sent == 3 * 2 * 2**20 * 7 // 8
    (True, True)
    """
    cluster, layers = model.cluster(devices), model.layers
    settings = Settings(Adam(), ZERO, units=model.units, prefetch=model.prefetch)
    models, batches = prepared(cluster, name, layers, model.rows, settings)
    run = measured(cluster, lambda made, given: made.step(layers, given, lr=0.5), per_rank(models), per_rank(batches))
    return cost_of(f"stage {name[-1]}", model, devices, run, [each.bytes_at_rest() for each in models])
