"""A case as a torch module, and each configuration as a way to wrap it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, ShardingStrategy, fully_shard
from torch.nn.parallel import DistributedDataParallel

from ..cases import Case, Host, Layer
from .counting import Traffic

CPU = torch.device("cpu")


class Unit(nn.Module):
    """Layers that are gathered together."""

    def __init__(self, layers: Sequence[Layer], weights: Mapping[str, Host] | None, dtype: torch.dtype) -> None:
        super().__init__()
        for layer in layers:
            linear = nn.Linear(layer.shape[1], layer.shape[0], bias=False, dtype=dtype)
            if weights is not None:
                linear.weight = nn.Parameter(torch.tensor(weights[layer.name], dtype=dtype))
            linear.weight.requires_grad_(layer.trainable)
            self.add_module(layer.name, linear)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        for layer in self.children():
            inputs = layer(inputs)
        return inputs


class Chain(nn.Module):
    """The units of a case. The last is the root's own: it is not wrapped by itself.

    Without ``weights`` those are torch's own, which is all that fake tensors need.
    """

    def __init__(self, case: Case, dtype: torch.dtype, weights: Mapping[str, Host] | None = None) -> None:
        super().__init__()
        self.case = case
        self.places = {name: place for place, names in enumerate(case.units) for name in names}
        for place, names in enumerate(case.units):
            self.add_module(f"unit{place}", Unit([case.parameters[name] for name in names], weights, dtype))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        rest = list(self.case.layers)
        while rest:
            place = self.places[rest[0].name]
            inputs = getattr(self, f"unit{place}")(inputs)
            del rest[: len(self.case.units[place])]
        return inputs

    @property
    def wrapped(self) -> list[str]:
        """The names of the submodules that are units of their own."""
        return [f"unit{place}" for place in range(len(self.case.units) - 1)]


@dataclass(frozen=True)
class Configuration:
    """How to wrap a chain, how to read what it then holds, and when gradients are reduced."""

    wrap: Callable[[Chain, int], nn.Module]
    pieces: Callable[[nn.Module], Iterator[tuple[str, torch.Tensor]]]
    whole: Callable[[nn.Module, bool], dict[str, Host]]
    world_sizes: tuple[int, ...] = (2, 3, 4)
    tracked: bool = False
    unsynced: Callable[[nn.Module, bool], AbstractContextManager[Any]] = lambda model, last: nullcontext()


def mesh_of(world_size: int, replicas: int) -> DeviceMesh:
    """All ranks in a row, or in ``replicas`` rows. A mesh cannot be made of fake tensors."""
    with unset_fake_temporarily():
        ranks = torch.arange(world_size)
        if replicas == 1:
            return DeviceMesh("cpu", ranks)
        return DeviceMesh("cpu", ranks.view(replicas, -1), mesh_dim_names=("replicate", "shard"))


# FSDP2


def fsdp2(reshard: bool | int | None, replicas: int = 1, gathered: torch.dtype | None = None) -> Any:
    """Wrap by ``fully_shard``, over ``replicas`` groups; ``gathered`` is the dtype of whole weights."""
    inner = MixedPrecisionPolicy(param_dtype=gathered, reduce_dtype=torch.float32) if gathered else None
    outer = replace(inner, output_dtype=torch.float32) if inner else None

    def wrap(chain: Chain, world_size: int) -> nn.Module:
        options: dict[str, Any] = {"mesh": mesh_of(world_size, replicas), "reshard_after_forward": reshard}
        for name in chain.wrapped:
            fully_shard(getattr(chain, name), mp_policy=inner or MixedPrecisionPolicy(), **options)
        return fully_shard(chain, mp_policy=outer or MixedPrecisionPolicy(), **options)

    return wrap


def fsdp2_pieces(model: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """The padded piece of each parameter."""
    for module in model.modules():
        group = getattr(module, "_get_fsdp_state", lambda: None)()
        if group is not None and group._fsdp_param_group is not None:
            for parameter in group._fsdp_param_group.fsdp_params:
                yield parameter._param_fqn or "", parameter._sharded_param_data


def fsdp2_whole(model: nn.Module, gradients: bool) -> dict[str, Host]:
    """The gathered parameters or gradients by name of layer."""
    tensors = {name.split(".")[-2]: each.grad if gradients else each.data for name, each in model.named_parameters()}
    return {name: each.full_tensor().numpy() for name, each in tensors.items() if each is not None}


def fsdp2_unsynced(model: nn.Module, last: bool) -> AbstractContextManager[Any]:
    model.set_requires_gradient_sync(last)  # type: ignore[operator]
    return nullcontext()


# FSDP1


def fsdp1(strategy: ShardingStrategy, replicas: int = 1) -> Any:
    """Wrap by FullyShardedDataParallel with flat parameters."""

    def wrap(chain: Chain, world_size: int) -> nn.Module:
        options: dict[str, Any] = {"sharding_strategy": strategy, "device_id": CPU}
        if replicas > 1:
            options["device_mesh"] = mesh_of(world_size, replicas)
        for name in chain.wrapped:
            setattr(chain, name, FullyShardedDataParallel(getattr(chain, name), **options))
        return FullyShardedDataParallel(chain, **options)

    return wrap


def handles(model: nn.Module) -> list[Any]:
    """What holds each flat parameter."""
    return [module._handle for module in FullyShardedDataParallel.fsdp_modules(model) if module._handle]


def fsdp1_pieces(model: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """The piece of each flat parameter."""
    for handle in handles(model):
        flat = handle.flat_param
        yield ",".join(flat._fqns), flat.data


def fsdp1_whole(model: nn.Module, gradients: bool) -> dict[str, Host]:
    """The flat parameters or gradients, put together from all ranks and cut into layers."""
    found: dict[str, Host] = {}
    for handle in handles(model):
        flat = handle.flat_param
        own = flat.grad if gradients else flat.data
        if own is None:
            continue
        pieces = [own]
        if handle.uses_sharded_strategy:
            pieces = [torch.empty_like(own) for _ in range(handle.world_size)]
            torch.distributed.all_gather(pieces, own.contiguous(), group=handle.process_group)
        whole = torch.cat(pieces)[: sum(flat._numels)]
        for name, shape, part in zip(flat._fqns, flat._shapes, whole.split(flat._numels), strict=True):
            found[name.split(".")[-2]] = part.view(shape).detach().numpy()
    return found


# DistributedDataParallel


def ddp(chain: Chain, world_size: int) -> nn.Module:
    """Wrap by DistributedDataParallel."""
    return DistributedDataParallel(chain, find_unused_parameters=bool(chain.case.unused))


def ddp_pieces(model: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """The whole parameters."""
    yield from ((name, each.data) for name, each in model.named_parameters())


def ddp_whole(model: nn.Module, gradients: bool) -> dict[str, Host]:
    """The parameters or gradients by name of layer."""
    tensors = {name.split(".")[-2]: each.grad if gradients else each.data for name, each in model.named_parameters()}
    return {name: each.numpy() for name, each in tensors.items() if each is not None}


def ddp_unsynced(model: nn.Module, last: bool) -> AbstractContextManager[Any]:
    return nullcontext() if last else model.no_sync()  # type: ignore[operator,no-any-return]


def _fsdp1(strategy: str, replicas: int = 1, **options: Any) -> Configuration:
    return Configuration(fsdp1(ShardingStrategy[strategy], replicas), fsdp1_pieces, fsdp1_whole, **options)


def _fsdp2(wrap: Any, **options: Any) -> Configuration:
    return Configuration(wrap, fsdp2_pieces, fsdp2_whole, tracked=True, **options)


ALL = (1, 2, 3, 4)
CONFIGURATIONS: dict[str, Configuration] = {
    "ddp": Configuration(ddp, ddp_pieces, ddp_whole, ALL),
    "ddp-no-sync": Configuration(ddp, ddp_pieces, ddp_whole, ALL, unsynced=ddp_unsynced),
    "fsdp1-no-shard": _fsdp1("NO_SHARD", world_sizes=ALL),
    "fsdp1-shard-grad-op": _fsdp1("SHARD_GRAD_OP"),
    "fsdp1-full-shard": _fsdp1("FULL_SHARD", world_sizes=ALL),
    "fsdp1-hybrid-shard": _fsdp1("HYBRID_SHARD", 2, world_sizes=(4,)),
    "fsdp2-true": _fsdp2(fsdp2(True), world_sizes=ALL),
    "fsdp2-false": _fsdp2(fsdp2(False)),
    "fsdp2-none": _fsdp2(fsdp2(None)),
    "fsdp2-int": _fsdp2(fsdp2(2), world_sizes=(4,)),
    "fsdp2-hybrid": _fsdp2(fsdp2(True, 2), world_sizes=(4,)),
    "fsdp2-float16": _fsdp2(fsdp2(True, gathered=torch.float16)),
    "fsdp2-no-sync": _fsdp2(fsdp2(True), unsynced=fsdp2_unsynced),
}

# Which configurations take a step of which case, in which dtypes.
RING = ("ddp", "fsdp1-full-shard", "fsdp2-true")
MATRIX: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "even": (tuple(name for name in CONFIGURATIONS if "no-sync" not in name), ("float32",)),
    "uneven": (tuple(name for name in CONFIGURATIONS if "no-sync" not in name), ("float32", "float64")),
    "grouped": (("fsdp1-full-shard", "fsdp1-shard-grad-op", "fsdp2-true", "fsdp2-none"), ("float32",)),
    "root-only": (("fsdp1-full-shard", "fsdp2-true", "fsdp2-none"), ("float32",)),
    "frozen": ((*RING, "fsdp2-none"), ("float32",)),
    "tied": ((*RING, "fsdp2-none"), ("float32",)),
    "unused": ((*RING, "fsdp2-none"), ("float32",)),
    "micro-batches": (
        ("ddp", "ddp-no-sync", "fsdp1-shard-grad-op", "fsdp1-full-shard", "fsdp2-true", "fsdp2-false", "fsdp2-none",
         "fsdp2-no-sync"),
        ("float32",),
    ),
}  # fmt: skip


def steps(world_size: int) -> list[tuple[str, str, str]]:
    """Configuration, case and dtype of each step that ``world_size`` ranks take; one rank takes those of two cases."""
    return [
        (name, case, dtype)
        for case, (names, dtypes) in MATRIX.items()
        if world_size > 1 or case in ("even", "uneven")
        for name in names
        if world_size in CONFIGURATIONS[name].world_sizes
        for dtype in dtypes
        if name != "fsdp2-float16" or dtype == "float32"
    ]


def with_batches(case: Case, rank: int, dtype: torch.dtype) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """The micro-batches of ``rank`` as tensors."""
    return [
        (torch.tensor(inputs, dtype=dtype), torch.tensor(targets, dtype=dtype))
        for inputs, targets in case.batches(rank)
    ]


def run_step(model: nn.Module, case: Case, configuration: Configuration, traffic: Traffic, batches: Any) -> None:
    """Forward, backward and SGD, each under its phase."""
    optimizer = torch.optim.SGD((each for each in model.parameters() if each.requires_grad), lr=case.lr)
    for number, (inputs, targets) in enumerate(batches, 1):
        with configuration.unsynced(model, number == len(batches)):
            traffic.phase = "forward"
            outputs = model(inputs)
            loss = 0.5 * ((outputs - targets) ** 2).sum() / case.rows
            traffic.phase = "backward"
            (loss / len(batches)).backward()
            del outputs, loss
    traffic.phase = "step"
    optimizer.step()
