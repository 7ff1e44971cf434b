"""A simulated cluster to learn sharded training on: arrays on devices, collectives, and a ledger of every byte.

>>> from grader.devices import Cluster, RANK
>>> cluster = Cluster(world_size=4)
>>> def step(rank, group):
...     piece = group.device.zeros(2) + rank
...     whole = group.device.empty(8)
...     group.all_gather_into_tensor(whole, piece)
...     return whole
>>> print(cluster.run(step, RANK, cluster.world)[0])
[0., 0., 1., 1., 2., 2., 3., 3.]
>>> cluster.ledger.bytes_sent(0)
24
"""

from __future__ import annotations

from .array import DeviceArray
from .backs import Back, NumpyBack
from .cluster import RANK, Cluster, PerRank, RunsElsewhere, per_rank
from .device import Device
from .errors import DeviceError
from .group import Group, Work
from .hardware import Chip, Hardware, Link
from .ledger import Ledger
from .modules import Modules, RankModules
from .trace import chrome_trace

__all__ = [
    "RANK",
    "Back",
    "Chip",
    "Cluster",
    "Device",
    "DeviceArray",
    "DeviceError",
    "Group",
    "Hardware",
    "Ledger",
    "Link",
    "Modules",
    "NumpyBack",
    "PerRank",
    "RankModules",
    "RunsElsewhere",
    "Work",
    "chrome_trace",
    "per_rank",
]
