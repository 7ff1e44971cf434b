"""The model that is trained at scale, on which devices, and what a step of it costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.authoring.measure import Run
from grader.devices import Cluster
from grader.devices.hardware import INFINIBAND_NDR, Chip, Hardware, Link
from grader.strategies import Linear

DTYPE, BYTES = "float16", 2
# Bytes a parameter that Adam keeps in mixed precision: 32-bit weights, momentum and variance.
ADAM_BYTES = 12


@dataclass(frozen=True, slots=True)
class Model:
    """Square layers without bias, trained in 16 bits with one micro-batch of ``rows`` on each device.

    The stages gather and reduce ``layers_per_unit`` together, and with ``prefetch`` the next unit ahead of its turn.

    >>> from grader.devices.hardware import H100
    >>> model = Model(10**12, 128, H100)
    >>> model.side, f"{model.parameters:.4g}"
    (88388, '1e+12')
    """

    wanted: int
    layer_count: int
    chip: Chip
    link: Link = INFINIBAND_NDR
    devices_per_node: int = 8
    rows: int = 1
    layers_per_unit: int = 1
    prefetch: bool = False

    @property
    def side(self) -> int:
        """Rows and columns of a layer: as near as squares come to the parameters that are wanted."""
        return max(math.isqrt(self.wanted // self.layer_count), 1)

    @property
    def parameters(self) -> int:
        return self.layer_count * self.side**2

    @property
    def layers(self) -> list[Linear]:
        return [Linear(f"layer{number}", (self.side, self.side)) for number in range(self.layer_count)]

    @property
    def units(self) -> tuple[tuple[str, ...], ...]:
        """The names of the layers that the stages gather together."""
        names = [layer.name for layer in self.layers]
        return tuple(tuple(names[at : at + self.layers_per_unit]) for at in range(0, len(names), self.layers_per_unit))

    def cluster(self, devices: int) -> Cluster:
        """Devices without data, of which the first two and the last run and stand for all."""
        hardware = Hardware(self.chip, outer=self.link, ranks_per_node=self.devices_per_node)
        ranks = sorted({0, min(1, devices - 1), devices - 1})
        return Cluster(devices, materialize=False, ranks=ranks, capacity=None, flops=None, hardware=hardware)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one device holds and does: ``rank``, the fullest of those that ran. Bytes and seconds.

    ``at_rest`` is by category, between two steps; ``peak`` is the most during a step, all that is at rest included;
    ``at_peak`` is that by category. Of the time of a step, the communication share is that in which the device
    communicates, and the waiting share that in which it does nothing else.
    """

    name: str
    devices: int
    rank: int
    at_rest: Mapping[str, int]
    peak: int
    at_peak: Mapping[str, int]
    collectives: Mapping[str, int]
    sent: int
    seconds: float
    communication_share: float
    waiting_share: float
    memory: int

    @property
    def rest(self) -> int:
        return sum(self.at_rest.values())

    @property
    def fits(self) -> bool:
        """Whether the peak fits into the device's memory."""
        return self.peak <= self.memory


def cost_of(name: str, model: Model, devices: int, run: Run, at_rest: Sequence[Mapping[str, int]]) -> Cost:
    """What the fullest rank of a run costs, with what each rank that ran keeps ``at_rest``."""
    place = max(range(len(run.ranks)), key=run.peak.__getitem__)
    rank = run.ranks[place]
    time, timeline = run.ledger.time(rank), run.timeline(rank)
    peak = timeline.peak
    return Cost(
        name=name,
        devices=devices,
        rank=rank,
        at_rest=at_rest[place],
        peak=run.peak[place],
        at_peak={} if peak is None else {part: counts[peak] for part, counts in timeline.parts},
        collectives=dict(Counter(each.operation for each in run.ledger.collectives() if each.share(rank) is not None)),
        sent=run.ledger.bytes_sent(rank),
        seconds=time.seconds,
        communication_share=time.communication_share,
        waiting_share=time.waiting_share,
        memory=model.chip.memory,
    )
