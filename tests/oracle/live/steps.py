"""Training steps by gloo processes on this machine."""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing

from ..cases import CASES
from .counting import CountingMode, Traffic
from .models import CONFIGURATIONS, Chain, run_step, steps, with_batches


def measure(world_size: int) -> list[dict[str, Any]]:
    """The record of every step that ``world_size`` ranks take."""
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(_rank, (world_size, folder), nprocs=world_size)  # type: ignore[no-untyped-call]
        found: list[dict[str, Any]] = json.loads((Path(folder) / "records.json").read_text())
        return found


def _rank(rank: int, world_size: int, folder: str) -> None:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world_size)
    found = [_step(rank, world_size, *each) for each in steps(world_size)]
    if rank == 0:
        (Path(folder) / "records.json").write_text(json.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


def _step(rank: int, world_size: int, name: str, case_name: str, dtype_name: str) -> dict[str, Any]:
    """One step; each rank must have called the same collectives, and hold the same numbers."""
    case, configuration, dtype = CASES[case_name], CONFIGURATIONS[name], getattr(torch, dtype_name)
    traffic = Traffic()
    model = configuration.wrap(Chain(case, dtype, case.weights()), world_size)
    batches = with_batches(case, rank, dtype)
    rest = sum(piece.untyped_storage().nbytes() for _, piece in configuration.pieces(model))
    with CountingMode(traffic):
        run_step(model, case, configuration, traffic, batches)
    numbers = {
        which: {key: value.tolist() for key, value in sorted(configuration.whole(model, which == "gradients").items())}
        for which in ("gradients", "weights")
    }
    every: list[Any] = [None] * world_size
    dist.all_gather_object(every, (rest, traffic.rows(), numbers))
    assert all(each[1:] == every[0][1:] for each in every), f"{name}, {case_name}: ranks differ"
    return {
        **description(name, case_name, world_size, dtype_name),
        "rest": [each[0] for each in every],
        "collectives": traffic.rows(),
        "numbers": numbers,
    }


def description(name: str, case_name: str, world_size: int, dtype_name: str) -> dict[str, Any]:
    """What a step is, before it is taken."""
    case = CASES[case_name]
    return {
        "configuration": name,
        "case": case_name,
        "layers": {key: list(layer.shape) for key, layer in case.parameters.items()},
        "units": [list(names) for names in case.units],
        "world_size": world_size,
        "dtype": dtype_name,
    }
