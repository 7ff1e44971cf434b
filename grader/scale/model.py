"""The model that is trained at scale, on which devices, and what a step of it costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from grader.devices import Cluster
from grader.devices.hardware import INFINIBAND_NDR, Chip, Hardware, Link
from grader.strategies import Linear

DTYPE, BYTES = "float16", 2
# Bytes a parameter that Adam keeps in mixed precision: 32-bit weights, momentum and variance.
ADAM_BYTES = 12


@dataclass(frozen=True, slots=True)
class Model:
    """Square layers without bias, trained in 16 bits with one micro-batch of ``rows`` on each device.

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

    def cluster(self, devices: int) -> Cluster:
        """Devices without data, of which the first two and the last run and stand for all."""
        hardware = Hardware(self.chip, outer=self.link, ranks_per_node=self.devices_per_node)
        ranks = sorted({0, min(1, devices - 1), devices - 1})
        return Cluster(devices, materialize=False, ranks=ranks, capacity=None, flops=None, hardware=hardware)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one device holds and does, the fullest of those that ran. Bytes and seconds.

    ``at_rest`` is by category, between two steps; ``peak`` is the most during a step, all that is at rest included;
    ``at_peak`` is that by category, where it is known.
    """

    name: str
    devices: int
    at_rest: Mapping[str, int]
    peak: int
    at_peak: Mapping[str, int]
    collectives: Mapping[str, int]
    sent: int
    seconds: float
    communication_share: float
    memory: int

    @property
    def rest(self) -> int:
        return sum(self.at_rest.values())

    @property
    def fits(self) -> bool:
        """Whether the peak fits into the device's memory."""
        return self.peak <= self.memory
