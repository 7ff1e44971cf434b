"""The strategies do what torch did: bytes at rest, collectives, bytes sent, weights. See tests/oracle/README.md."""

from collections import Counter

import numpy as np
import pytest

from grader.devices import RANK, Cluster, DeviceArray, Group, per_rank
from grader.strategies import FSDP, Flat, Linear, PerParameter, Precision, Settings, Strategy, load
from grader.strategies.measure import unit_sizes
from grader.strategies.strategy import Batch
from tests.oracle.cases import Host
from tests.oracle.records import Record, records

KINDS = {
    "all_gather": "all_gather_into_tensor",
    "reduce_scatter": "reduce_scatter_tensor",
    "all_reduce": "all_reduce",
}
# Which strategy a configuration is, and how its pieces are cut.
SAME = {
    "ddp": ("stage0", Flat),
    "ddp-no-sync": ("stage0", Flat),
    "fsdp1-no-shard": ("stage0", Flat),
    "fsdp1-shard-grad-op": ("shard_grad_op", Flat),
    "fsdp1-full-shard": ("stage3", Flat),
    "fsdp1-hybrid-shard": ("hybrid", Flat),
    "fsdp2-true": ("stage3", PerParameter),
    "fsdp2-false": ("shard_grad_op", PerParameter),
    "fsdp2-none": ("stage3", PerParameter),
    "fsdp2-hybrid": ("hybrid", PerParameter),
    "fsdp2-int": ("reshard_to_node", PerParameter),
    "fsdp2-no-sync": ("no_sync", PerParameter),
    "fsdp2-float16": ("stage3", PerParameter),
}
# Those do not gather the last unit again in the backward pass: it stays from the forward pass.
KEEPS_THE_LAST = ("fsdp1-full-shard", "fsdp1-hybrid-shard", "fsdp2-none")


def corresponds(record: Record) -> bool:
    """Whether what torch did in a step is what a strategy does."""
    name = (record.configuration, record.case.name)
    if record.configuration.startswith("fsdp1") and record.world_size == 1:
        return False  # FSDP1 shards nothing on one device
    if record.case.name.startswith("deep"):
        return False  # there for their peaks
    return record.configuration in SAME and name not in {
        ("ddp", "unused"),  # reduces what has no gradient
        ("ddp", "micro-batches"),  # reduces after each
        ("fsdp1-full-shard", "tied"),  # gathers a module that is called twice once in the backward pass
    }


def settings_of(record: Record) -> Settings:
    units = record.case.units
    if record.configuration.startswith("ddp"):  # one bucket of all that is trained
        units = (tuple(layer.name for layer in record.case.parameters.values() if layer.trainable),)
    precision = Precision(record.dtype, record.dtype, record.dtype)
    return Settings(
        precision=FSDP if record.configuration == "fsdp2-float16" else precision,
        sharding=SAME[record.configuration][1],
        units=units,
        node_size=2 if SAME[record.configuration][0] in ("hybrid", "reshard_to_node") else 1,
    )


CORRESPONDING = [record for record in records() if corresponds(record)]


def test_each_correspondence_is_tried() -> None:
    assert {record.configuration for record in CORRESPONDING} == {record.configuration for record in records()}


def to_host(arrays: dict[str, DeviceArray]) -> dict[str, Host]:
    return {name: array.numpy() for name, array in arrays.items()}


@pytest.mark.parametrize("record", CORRESPONDING, ids=lambda record: record.id)
def test_a_step_is_torchs(record: Record) -> None:
    case, settings, name = record.case, settings_of(record), SAME[record.configuration][0]
    layers = [Linear(each.name, each.shape, each.trainable) for each in case.layers]
    unused = [Linear(each.name, each.shape, each.trainable) for each in case.unused]
    cluster = Cluster(record.world_size)
    dtype = settings.precision.kept

    def prepare(rank: int, group: Group) -> tuple[Strategy, list[Batch]]:
        array, weights = group.device.array, case.weights()
        model = load(name)([*layers, *unused], lambda each: array(weights[each.name], dtype), group, settings)
        return model, [(array(inputs, dtype), array(targets, dtype)) for inputs, targets in case.batches(rank)]

    ready = cluster.run(prepare, RANK, cluster.world)
    mark = len(cluster.ledger.events)
    cluster.run(lambda model, batches: model.step(layers, batches, case.lr), *map(per_rank, zip(*ready, strict=True)))
    ledger = cluster.ledger.since(mark)
    counts = Counter(event.operation for event in ledger.collectives() if event.share(0) is not None)
    for model, _ in ready:
        assert model.bytes_at_rest()["parameters"] == record.rest[0]
    for weights in cluster.run(lambda model: to_host(model.full_parameters()), per_rank([model for model, _ in ready])):
        for parameter, wanted in record.weights.items():
            np.testing.assert_allclose(weights[parameter], wanted, rtol=1e-6, atol=1e-6)

    for kind, operation in KINDS.items():
        count, sent = record.count(kind), record.sent(kind)
        if kind == "all_gather" and record.configuration in KEEPS_THE_LAST:
            shared = settings.node_size if name == "hybrid" else record.world_size
            last = unit_sizes([*layers, *unused], settings, shared)[-1 - len(unused)]
            count += case.micro_batches
            sent += case.micro_batches * (shared - 1) * last.piece * np.dtype(record.dtype).itemsize
        if record.world_size > 1:  # on one device FSDP2 calls none, and strategies some that send nothing
            assert counts[operation] == count
        assert ledger.bytes_sent(0, operation) == sent
