"""What FSDP's own functions cut from a tensor: pure ones, and the metadata of flat parameters."""

from __future__ import annotations

import random
from typing import Any

import torch
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp._flat_param import FlatParamHandle
from torch.distributed.fsdp._fully_shard._fsdp_common import _chunk_with_empty, _get_dim0_padded_size

from .fake import fake_ranks
from .models import CPU

WORLD_SIZES = range(1, 17)
SIZES = range(128)
FLAT = [
    [[5, 3], [3]],
    [[10, 10], [10, 10], [10, 10]],
    [[5, 3], [7, 5]],
    [[1, 7], [3, 1]],
    [[2], [2], [2], [1]],
]


def by_rows() -> dict[str, list[list[int]]]:
    """By world size and number of rows, the rows of each rank, whatever the other dimensions are."""
    draw = random.Random(0)
    return {str(count): [_rows(size, count, draw) for size in SIZES] for count in WORLD_SIZES}


def _rows(size: int, count: int, draw: random.Random) -> list[int]:
    shape = (size, *draw.choices(range(1, 6), k=draw.randrange(3)))
    whole = torch.arange(torch.Size(shape).numel()).view(shape)
    pieces = _chunk_with_empty(whole, count, dim=0)
    assert torch.equal(torch.cat(list(pieces)), whole)
    assert _get_dim0_padded_size(whole.size(), count)[0] == count * pieces[0].size(0)
    return [piece.size(0) for piece in pieces]


def by_elements() -> dict[str, list[list[int]]]:
    """By world size and number of elements, those of a flat parameter that each rank has, without the padding."""
    return {str(count): [_elements(size, count) for size in SIZES] for count in WORLD_SIZES}


def _elements(size: int, count: int) -> list[int]:
    whole = torch.arange(size)
    owned = []
    for rank in range(count):
        piece, padding = FlatParamHandle._get_shard(whole, rank, count)
        assert piece.numel() == -(-size // count)
        assert torch.equal(piece[: piece.numel() - padding], whole[sum(owned) :][: piece.numel() - padding])
        owned.append(piece.numel() - padding)
    return owned


class Parameters(nn.Module):
    """Parameters of these shapes."""

    def __init__(self, shapes: list[list[int]]) -> None:
        super().__init__()
        self.all = nn.ParameterList(torch.zeros(shape) for shape in shapes)


def flat_parameters() -> list[dict[str, Any]]:
    """For each rank and parameter of a unit: the first element that its flat parameter has here, and how many."""
    return [
        {"shapes": shapes, "world_size": count, "pieces": [_in_flat(shapes, count, rank) for rank in range(count)]}
        for shapes in FLAT
        for count in (2, 3, 4)
    ]


def _in_flat(shapes: list[list[int]], count: int, rank: int) -> list[list[int]]:
    with fake_ranks(count, rank):
        flat = FullyShardedDataParallel(Parameters(shapes), device_id=CPU)._handle.flat_param
    return [
        [info.intra_param_start_idx, info.numel_in_shard] if info.in_shard else [0, 0]
        for info in flat._shard_param_infos
    ]
