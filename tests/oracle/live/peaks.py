"""Peak memory by torch's fake process group and tensors and its memory tracker: one process, any number of ranks."""

from __future__ import annotations

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker

from ..cases import CASES
from .counting import CountingMode, Traffic
from .fake import fake_ranks
from .models import CONFIGURATIONS, CPU, Chain, run_step, with_batches

LARGE = [
    (name, case, world_size, "float32")
    for case, names in {"deep": ("fsdp2-true", "fsdp2-none", "fsdp2-false"), "deep-root-only": ("fsdp2-none",)}.items()
    for name in names
    for world_size in (2, 8, 64, 1024)
]


def measure(name: str, case_name: str, world_size: int, dtype_name: str) -> dict[str, Any]:
    """A step as rank 0 sees it: bytes at rest, collectives, and bytes by category when there are most."""
    case, configuration, dtype = CASES[case_name], CONFIGURATIONS[name], getattr(torch, dtype_name)
    traffic = Traffic()
    with fake_ranks(world_size), FakeTensorMode(allow_non_fake_inputs=True):
        model = configuration.wrap(Chain(case, dtype), world_size)
        batches = with_batches(case, 0, dtype)
        rest = sum(piece.untyped_storage().nbytes() for _, piece in configuration.pieces(model))
        tracker = FSDPMemTracker(model)
        tracker.track_inputs(tuple(batches))
        with tracker, CountingMode(traffic):
            run_step(model, case, configuration, traffic, batches)
        snapshot: dict[Any, int] = tracker.get_tracker_snapshot("peak")[CPU]
    return {
        "rest": [rest],
        "collectives": traffic.rows(),
        "peak": {getattr(key, "value", key): value for key, value in snapshot.items() if value},
    }
