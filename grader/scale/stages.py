"""The stages of ZeRO at scale, by the reference strategies."""

from __future__ import annotations

from grader.strategies import ZERO, Adam, Settings, measure

from .model import Cost, Model

STAGES = ("stage0", "stage1", "stage2", "stage3")


def stage(name: str, model: Model, devices: int) -> Cost:
    """What one of ``STAGES`` costs on so many devices.

    >>> from grader.devices.hardware import H100
    >>> cost = stage("stage3", Model(2**20, 4, H100), 8)
    >>> cost.rest == 16 * 2**20 // 8, cost.sent == 3 * 2 * 2**20 * 7 // 8
    (True, True)
    """
    found = measure(model.cluster(devices), name, model.layers, model.rows, Settings(Adam(), ZERO))
    assert found.time is not None
    return Cost(
        name=f"stage {name[-1]}",
        devices=devices,
        at_rest=found.at_rest,
        peak=sum(found.at_rest.values()) + found.peak,
        at_peak={},
        collectives=found.collectives,
        sent=sum(found.sent.values()),
        seconds=found.time.seconds,
        communication_share=found.time.communication_share,
        memory=model.chip.memory,
    )
