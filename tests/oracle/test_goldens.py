"""Lesson 10's reference and the ledger, held to what torch did: sizes, counts and bytes exactly, numbers to 1e-6."""

from __future__ import annotations

import re
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.authoring.local import LocalStudent
from grader.devices import Cluster, Group, per_rank

from .cases import CASES
from .records import Record, assert_close, golden, records
from .reference import ROOT, Step, at_peak, solution, step

FLAT_DESIGN = ROOT / "tests" / "suites" / "lesson10" / "designs" / "flat_padded"
OPERATIONS = {
    "all_gather": "all_gather_into_tensor",
    "reduce_scatter": "reduce_scatter_tensor",
    "all_reduce": "all_reduce",
}
STEPS = [record for record in records() if not record.case.name.startswith("deep")]
SEVERAL_RANKS = [record for record in STEPS if record.world_size > 1]
DEEP = [record for record in records() if record.case.name.startswith("deep")]
UNIT = 1024 * 1024 * 4


@cache
def taken(case: str, world_size: int, dtype: str) -> Step:
    return step(CASES[case], Cluster(world_size), dtype)


def reference(record: Record) -> Step:
    return taken(record.case.name, record.world_size, record.dtype)


def traffic(found: Step, kind: str, rank: int = 0) -> tuple[int, int]:
    """How many collectives of ``kind`` there were, and the bytes that ``rank`` sent in them."""
    ledger, operation = found.run.ledger, OPERATIONS[kind]
    return len(ledger.collectives(operation)), ledger.bytes_sent(rank, operation)


def expected(record: Record, kind: str) -> tuple[int, int]:
    return record.count(kind), record.sent(kind)


def each(found: list[Record]) -> pytest.MarkDecorator:
    assert found
    return pytest.mark.parametrize("record", found, ids=lambda record: record.id)


def of(configuration: str, *cases: str) -> list[Record]:
    """The records of a configuration and these cases, or all, with several ranks."""
    return [
        record
        for record in SEVERAL_RANKS
        if record.configuration == configuration and (not cases or record.case.name in cases)
    ]


# Pieces


def expect_pieces(shard: Any, size: int, world_size: int, shape: tuple[int, ...]) -> None:
    """Each rank has the rows that torch gives it, then zeros up to the longest piece."""
    (device,) = Cluster(1).devices
    whole = np.arange(1, prod(shape) + 1, dtype="float32").reshape(shape)
    full, start = device.array(whole), 0
    for rank, owned in enumerate(golden("pieces")["owned"][str(world_size)][size]):
        piece = np.zeros((-(-size // world_size), *shape[1:]), "float32")
        piece[:owned] = whole[start : start + owned]
        np.testing.assert_array_equal(shard(full, rank, world_size).numpy(), piece)
        start += owned


@pytest.mark.parametrize("world_size", range(1, 17))
def test_pieces_by_rows(world_size: int) -> None:
    shard = solution().shard
    for size in range(0, 128, 1 if world_size < 5 else 5):
        expect_pieces(shard, size, world_size, (size, 2))


@pytest.mark.parametrize("world_size", [1, 2, 3, 4, 8, 16])
def test_pieces_of_a_flat_parameter(world_size: int) -> None:
    shard = LocalStudent(FLAT_DESIGN).shard
    for size in range(0, 128, 5):
        expect_pieces(shard, size, world_size, (size,))


@pytest.mark.parametrize("world_size", [2, 3, 4, 7])
def test_a_gradient_is_reduced_into_the_pieces_of_its_weight(world_size: int) -> None:
    reduce_gradient = solution().reduce_gradient
    for size in range(1, 24):
        cluster = Cluster(world_size)
        whole = np.arange(size * 2.0).reshape(size, 2)
        gradients = per_rank([device.array(whole + rank) for rank, device in enumerate(cluster.devices)])
        pieces, start = cluster.run(reduce_gradient, gradients, cluster.world), 0
        for piece, owned in zip(pieces, golden("pieces")["owned"][str(world_size)][size], strict=True):
            mean = whole[start : start + owned] + (world_size - 1) / 2
            np.testing.assert_allclose(piece.numpy()[:owned], mean, rtol=1e-12)
            start += owned


# A step of the reference


@each(STEPS)
def test_weights_after_a_step(record: Record) -> None:
    assert record.weights.keys() == reference(record).weights.keys()
    for name, weight in record.weights.items():
        assert_close(reference(record).weights[name], weight)


@each(STEPS)
def test_gradients_of_a_step(record: Record) -> None:
    before = record.case.weights()
    for name, weight in reference(record).weights.items():
        gradient = (before[name] - weight) / record.case.lr
        if name in record.gradients:
            assert record.gradients[name].all()
            assert_close(gradient, record.gradients[name])
        else:
            assert not gradient.any()


@each([*of("fsdp2-true"), *of("fsdp2-false"), *of("fsdp2-none"), *of("fsdp2-int"), *of("fsdp2-float16")])
def test_bytes_at_rest(record: Record) -> None:
    assert reference(record).rest == record.rest


@each(of("fsdp2-true", "even", "uneven", "frozen", "unused", "micro-batches"))
@pytest.mark.parametrize("kind", OPERATIONS)
def test_collectives_of_a_step(record: Record, kind: str) -> None:
    for rank in range(record.world_size):
        assert traffic(reference(record), kind, rank) == expected(record, kind)


# The reference differs here on purpose: docs/differences.md


@each(of("fsdp2-none", "even", "uneven", "frozen", "unused", "micro-batches"))
def test_the_root_is_gathered_again(record: Record) -> None:
    count, sent = traffic(reference(record), "all_gather")
    passes = record.case.micro_batches
    assert count == record.count("all_gather") + passes
    assert sent == record.sent("all_gather") + passes * (record.world_size - 1) * piece_bytes(
        record, record.case.units[-1]
    )
    assert traffic(reference(record), "reduce_scatter") == expected(record, "reduce_scatter")


@each([*of("fsdp2-true", "grouped", "root-only")])
@pytest.mark.parametrize("kind", ["all_gather", "reduce_scatter"])
def test_a_unit_is_one_parameter(record: Record, kind: str) -> None:
    count, sent = traffic(reference(record), kind)
    assert sent == record.sent(kind)
    assert count * len(record.case.units) == record.count(kind) * len(record.case.layers)
    assert count > record.count(kind)


@each(of("fsdp2-true", "tied"))
def test_a_tied_layer_is_reduced_at_each_use(record: Record) -> None:
    assert traffic(reference(record), "all_gather") == expected(record, "all_gather")
    count, sent = traffic(reference(record), "reduce_scatter")
    assert count == record.count("reduce_scatter") + 1
    assert sent == record.sent("reduce_scatter") + (record.world_size - 1) * piece_bytes(record, ("b",))


@each(of("fsdp2-no-sync"))
def test_each_micro_batch_is_reduced(record: Record) -> None:
    assert traffic(reference(record), "all_gather") == expected(record, "all_gather")
    count, sent = traffic(reference(record), "reduce_scatter")
    assert (count, sent) == tuple(record.case.micro_batches * each for each in expected(record, "reduce_scatter"))


@each([record for record in STEPS if record.world_size == 1])
def test_one_rank_sends_nothing(record: Record) -> None:
    found = reference(record)
    layers = len(record.case.layers)
    assert [traffic(found, kind) for kind in OPERATIONS] == [(2 * layers, 0), (layers, 0), (0, 0)]
    assert all(collective.bytes == 0 for collective in record.collectives)
    if record.configuration.startswith("fsdp2"):
        assert record.collectives == ()
    elif record.configuration.startswith("fsdp1"):
        assert [(entry.kind, entry.count) for entry in record.collectives] == [("all_reduce", layers)]


@each(of("fsdp1-full-shard", "uneven"))
def test_padding_is_by_rows(record: Record) -> None:
    """A flat parameter is padded by less than one element a rank; rows by up to a row."""
    total = sum(prod(layer.shape) for layer in record.case.parameters.values())
    size = np.dtype(record.dtype).itemsize
    assert total * size / record.world_size <= record.rest[0] < reference(record).rest[0]


@each([*of("fsdp1-shard-grad-op", "even"), *of("fsdp2-false", "even")])
def test_shard_grad_op_is_nearest_to_stage_two(record: Record) -> None:
    settings = (
        {"sharding_strategy": "SHARD_GRAD_OP"}
        if record.configuration.startswith("fsdp1")
        else {"reshard_after_forward": False}
    )
    assert solution().zero_stage(settings) == 2
    (ddp,) = (each for each in of("ddp", "even") if each.world_size == record.world_size)
    assert record.rest[0] * record.world_size == ddp.rest[0]
    assert record.sent("all_gather", "forward") + record.sent("reduce_scatter") == ddp.sent("all_reduce")
    assert record.count("all_gather", "backward") == 0


# The ledger: what any strategy sends


def piece_bytes(record: Record, names: tuple[str, ...], ranks: int | None = None) -> int:
    """The bytes of one rank's piece of a unit: by rows, or of all elements in a row for a flat parameter."""
    ranks = ranks or record.world_size
    shapes = [record.case.parameters[name].shape for name in names]
    if record.configuration.startswith("fsdp1"):
        elements = -(-sum(prod(shape) for shape in shapes) // ranks)
    else:
        elements = sum(-(-rows // ranks) * columns for rows, columns in shapes)
    return elements * np.dtype(record.dtype).itemsize


def collective(record: Record, group: Group, kind: str, nbytes: int, dtype: str) -> None:
    """Call a collective whose piece or array has so many bytes at the record's dtype, in ``dtype``."""
    elements = nbytes // np.dtype(record.dtype).itemsize
    piece = group.device.zeros(elements, dtype)
    if kind == "all_reduce":
        group.all_reduce(piece, op="avg")
        return
    whole = group.device.zeros(group.size * elements, dtype)
    if kind == "all_gather":
        group.all_gather_into_tensor(whole, piece)
    else:
        group.reduce_scatter_tensor(piece, whole, op="avg")


def strategy(record: Record, group: Group) -> None:
    """The collectives of one step in a configuration, without the step."""
    name, units = record.configuration, record.case.units
    gathered = "float16" if name == "fsdp2-float16" else record.dtype
    if name in ("ddp", "fsdp1-no-shard"):
        for unit in [sum(units, ())] if name == "ddp" else units:
            collective(record, group, "all_reduce", piece_bytes(record, unit, 1), record.dtype)
        return
    inner = group.split(group.rank // 2) if "hybrid" in name else group
    outer = group.split(group.rank % 2) if "hybrid" in name else None
    again = group.split(group.rank // 2) if name == "fsdp2-int" else inner
    for unit in units:
        collective(record, inner, "all_gather", piece_bytes(record, unit, inner.size), gathered)
    kept = {"fsdp1-shard-grad-op": 0, "fsdp2-false": 0, "fsdp2-true": len(units)}
    kept |= {"fsdp2-int": len(units), "fsdp2-hybrid": len(units), "fsdp2-float16": len(units)}
    for unit in units[: kept.get(name, len(units) - 1)]:
        # After a reshard over fewer ranks each holds a longer piece: that of the padded rows.
        nbytes = piece_bytes(record, unit, inner.size) * inner.size // again.size
        collective(record, again, "all_gather", nbytes, gathered)
    for unit in units:
        collective(record, inner, "reduce_scatter", piece_bytes(record, unit, inner.size), record.dtype)
        if outer is not None:
            collective(record, outer, "all_reduce", piece_bytes(record, unit, inner.size), record.dtype)


@each([record for record in SEVERAL_RANKS if record.case.name in ("even", "uneven", "grouped", "root-only")])
def test_the_ledger_counts_what_torch_counts(record: Record) -> None:
    cluster = Cluster(record.world_size)
    cluster.run(lambda group: strategy(record, group), cluster.world)
    for rank in range(record.world_size):
        found: dict[tuple[str, int], list[int]] = {}
        for event in cluster.ledger.collectives():
            share = event.share(rank)
            if event.operation in OPERATIONS.values() and share is not None:
                entry = found.setdefault((event.operation, len(event.shares)), [0, 0])
                entry[0] += 1
                entry[1] += share.sent
        wanted: dict[tuple[str, int], list[int]] = {}
        for known in record.collectives:
            entry = wanted.setdefault((OPERATIONS[known.kind], known.group_size), [0, 0])
            entry[0] += known.count
            entry[1] += known.bytes
        assert found == wanted


# Peaks


@each([record for record in SEVERAL_RANKS if record.peak])
def test_parameters_at_the_peak(record: Record) -> None:
    assert record.peak is not None
    before = at_peak(taken(record.case.name, record.world_size, record.dtype).run, 0)["before"]
    if record.configuration != "fsdp2-hybrid":
        assert record.peak["Sharded Param"] + record.peak["Inputs"] == before


@cache
def large(case: str, world_size: int) -> tuple[Step, dict[str, int]]:
    cluster = Cluster(world_size, materialize=False, ranks=[0, world_size - 1])
    found = step(CASES[case], cluster, "float32")
    return found, at_peak(found.run, 0)


@each([record for record in DEEP if record.configuration == "fsdp2-true"])
def test_peak_of_many_ranks(record: Record) -> None:
    """Of 8 equal layers the reference holds one weight and one gradient; torch 2 units more, or 4."""
    assert record.peak is not None
    found, held = large(record.case.name, record.world_size)
    assert found.rest[0] == record.rest[0] == record.peak["Sharded Param"] == 8 * UNIT // record.world_size
    for kind in ("all_gather", "reduce_scatter"):
        assert traffic(found, kind) == expected(record, kind)
    assert held["gathered"] == held["whole gradients"] == UNIT
    assert held["gradient pieces"] < found.rest[0]
    assert held["other"] < UNIT / 100
    # Torch has the buffer of the next layer, too, and a copy of the last gradient, which is being reduced. The root's
    # own weight and gradient stay until the backward pass ends.
    kept = 1 + len(record.case.units[-1])
    assert (record.peak["Unsharded Param"], record.peak["Temp"] // UNIT) == (kept * UNIT, kept)
    assert record.peak["All Gather"] == record.peak["Reduce Scatter"] == UNIT


@each([record for record in DEEP if record.configuration != "fsdp2-true"])
def test_wrapping_less_costs_more(record: Record) -> None:
    assert record.peak is not None
    assert sum(large("deep", record.world_size)[1].values()) < record.peak["Total"]


README = (Path(__file__).parent / "README.md").read_text()
MULTIPLES = re.findall(r"^\| `([\w-]+)` \| `([\w-]+)` \| ([\d.]+) \| (.+?) \|", README, re.MULTILINE)


def test_the_readme_has_peaks() -> None:
    assert {case for _, case, _, _ in MULTIPLES} == {record.case.name for record in DEEP}
    assert {configuration for configuration, _, _, _ in MULTIPLES} == {record.configuration for record in DEEP}


@pytest.mark.parametrize(("configuration", "case", "total", "parts"), MULTIPLES)
def test_a_peak_in_the_readme_is_torchs(configuration: str, case: str, total: str, parts: str) -> None:
    (peak,) = (record.peak for record in records(configuration, case) if record.world_size == 1024)
    assert peak is not None
    assert f"{peak['Total'] / UNIT:.2f}" == total
    layers = {name: round(size / UNIT) for name, size in peak.items() if name != "Total" and size >= UNIT / 2}
    assert layers == {name: int(count) for count, name in re.findall(r"(\d+) ([A-Z][a-z]+(?: [A-Z][a-z]+)*)", parts)}
