"""Counts the collectives that torch calls, and their bytes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch.utils._python_dispatch import TorchDispatchMode

# The name of each collective, and where among its arguments are a whole tensor of all ranks and the group.
KINDS = {
    "c10d::_allgather_base_": ("all_gather", 0, 2),
    "c10d::allgather_": ("all_gather", 0, 2),
    "c10d::_reduce_scatter_base_": ("reduce_scatter", 1, 2),
    "c10d::reduce_scatter_": ("reduce_scatter", 1, 2),
    "c10d::allreduce_": ("all_reduce", 0, 1),
    "c10d::broadcast_": ("broadcast", 0, 1),
}


@dataclass
class Traffic:
    """Collectives by kind, phase and group size: how many, and the bytes that one rank sends."""

    phase: str = "forward"
    counts: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    bytes: Counter[tuple[str, str, int]] = field(default_factory=Counter)

    def add(self, kind: str, whole: torch.Tensor, ranks: int) -> None:
        """Count one collective over a tensor of all ranks."""
        piece = -(-whole.numel() // ranks) * whole.element_size()
        key = (kind, self.phase, ranks)
        self.counts[key] += 1
        self.bytes[key] += (ranks - 1) * piece * (2 if kind == "all_reduce" else 1)

    def rows(self) -> list[list[Any]]:
        """``[kind, phase, group size, count, bytes]`` in a fixed order."""
        return [[*key, self.counts[key], self.bytes[key]] for key in sorted(self.counts, key=_order)]


def _order(key: tuple[str, str, int]) -> tuple[int, str, int]:
    kind, phase, ranks = key
    return ("forward", "backward", "step").index(phase), kind, ranks


class CountingMode(TorchDispatchMode):
    """Adds every collective under it to ``traffic``; one that it does not know is an error."""

    def __init__(self, traffic: Traffic) -> None:
        super().__init__()
        self.traffic = traffic

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name
        if name.startswith("c10d::"):
            kind, whole, group = KINDS[name]
            tensor = _whole(args[whole])
            # DistributedDataParallel also agrees on the order of buckets and on what was used, by whole numbers.
            if tensor.is_floating_point():
                self.traffic.add(kind, tensor, dist.ProcessGroup.unbox(args[group]).size())
        return func(*args, **(kwargs or {}))


def _whole(tensors: Any) -> torch.Tensor:
    """The tensor of a call; an all-gather on a CPU has one for each rank, in a list of one list."""
    if isinstance(tensors, torch.Tensor):
        return tensors
    if isinstance(tensors[0], list):
        return torch.cat([each.reshape(-1) for each in tensors[0]])
    (tensor,) = tensors
    return tensor
