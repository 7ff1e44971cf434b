"""The strategies do what torch did: bytes at rest, collectives, bytes sent, weights. See tests/oracle/README.md."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from grader.devices import RANK, Cluster, DeviceArray, Group, per_rank
from grader.strategies import FSDP, Flat, Linear, PerParameter, Precision, Settings, Strategy, load
from grader.strategies.strategy import Batch, Unit
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
    if record.configuration.startswith("fsdp1") and record.world_size == 1:
        return False  # FSDP1 shards nothing on one device
    return not record.case.name.startswith("deep")  # those are there for their peaks


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


def expected(record: Record, kind: str, units: Sequence[Unit]) -> tuple[int, int]:
    """Torch's number of collectives and bytes, as the strategies have them: docs/differences.md says where and why."""
    count, sent = record.count(kind), record.sent(kind)
    batches = record.case.micro_batches
    if record.configuration == "ddp":  # reduces in each micro-batch
        return count // batches, sent // batches
    again = [record.case.units[-1]] if record.configuration in KEEPS_THE_LAST else []
    if (record.configuration, record.case.name) == ("fsdp1-full-shard", "tied"):
        again.append(("b",))  # called twice, and gathered once in the backward pass
    if kind == "all_gather":
        pieces = {unit.names: unit.sharding for unit in units}
        size = np.dtype(record.dtype).itemsize
        count += batches * len(again)
        sent += batches * sum((pieces[names].devices - 1) * pieces[names].piece * size for names in again)
    return count, sent


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
        count, sent = expected(record, kind, tuple(ready[0][0].parameters))
        if record.world_size > 1:  # on one device FSDP2 calls none, and strategies some that send nothing
            assert counts[operation] == count
        assert ledger.bytes_sent(0, operation) == sent
