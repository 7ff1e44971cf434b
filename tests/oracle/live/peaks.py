"""Peak memory by torch's fake process group and tensors and its memory tracker: one process, any number of ranks."""

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
from torch.distributed._tools.mem_tracker import MemTracker
from torch.nn.parallel import DistributedDataParallel

from ..cases import Case
from .counting import CountingMode, Traffic
from .fake import fake_ranks
from .models import CONFIGURATIONS, CPU, Chain, run_step, with_batches

WRAPPED = ("fsdp2-true", "fsdp2-none", "fsdp2-false")
LARGE = [
    (name, case, world_size, "float32")
    for case, names in {"deep": (*WRAPPED, "ddp"), "deep-wrapped": WRAPPED, "deep-root-only": ("fsdp2-none",)}.items()
    for name in names
    for world_size in (2, 8, 64, 1024)
]


def measure(name: str, case: Case, world_size: int, dtype_name: str) -> dict[str, Any]:
    """A step as rank 0 sees it: bytes at rest, collectives, and bytes by category when there are most."""
    configuration, dtype = CONFIGURATIONS[name], getattr(torch, dtype_name)
    traffic = Traffic()
    with fake_ranks(world_size), FakeTensorMode(allow_non_fake_inputs=True):
        chain, batches = Chain(case, dtype), with_batches(case, 0, dtype)
        model, tracker = _ddp(chain, batches) if name == "ddp" else _fsdp2(name, chain, world_size, batches)
        rest = sum(piece.untyped_storage().nbytes() for _, piece in configuration.pieces(model))
        with tracker, CountingMode(traffic):
            run_step(model, case, configuration, traffic, batches)
        snapshot: dict[Any, int] = tracker.get_tracker_snapshot("peak")[CPU]
    return {
        "rest": [rest],
        "collectives": traffic.rows(),
        "peak": {getattr(key, "value", key): value for key, value in snapshot.items() if value},
    }


def _fsdp2(name: str, chain: Chain, world_size: int, batches: list[Any]) -> tuple[nn.Module, MemTracker]:
    model = CONFIGURATIONS[name].wrap(chain, world_size)
    tracker = FSDPMemTracker(model)
    tracker.track_inputs(tuple(batches))
    return model, tracker


def _ddp(chain: Chain, batches: list[Any]) -> tuple[nn.Module, MemTracker]:
    """DistributedDataParallel under the tracker from the start, for that is when it makes its bucket."""
    tracker = MemTracker()
    tracker.track_external(chain, *(each for batch in batches for each in batch))
    with tracker:
        model = DistributedDataParallel(chain, init_sync=False)  # fake weights cannot be compared or broadcast
        model.register_comm_hook(None, _all_reduce)
    return model, tracker


def _all_reduce(_: None, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
    """What DistributedDataParallel does with a bucket, but that fake ranks give it nothing to wait for."""
    dist.all_reduce(bucket.buffer())
    reduced: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    reduced.set_result(bucket.buffer())
    return reduced
