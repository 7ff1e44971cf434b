"""The hidden suite of the vault. What a report must never show stands here under names of its own."""

import numpy as np
import pytest

from grader.authoring import Failed, criterion, measured
from grader.devices import RANK, per_rank

EXPECTED = "sesquipedalian-5b1e"
WORDS = ["quokka-3c9d", "numbat-77f0", "quoll-aa41"]


def wholes(cluster, rows):
    host = np.arange(float(3 * rows)).reshape(rows, 3)
    return host, [device.array(host) for device in cluster.devices]


def cut(student, cluster, rows):
    host, full = wholes(cluster, rows)
    pieces = cluster.run(student.shard, per_rank(full), RANK, cluster.world_size)
    return host, pieces


def expect_rows(arrays, host, name):
    for rank, (array, want) in enumerate(zip(arrays, host, strict=True)):
        if array.shape != want.shape:
            raise Failed(f"{name} has another shape.", rank=rank, expected=str(want.shape), actual=str(array.shape))
        if not np.array_equal(array.numpy(), want):
            raise Failed(f"{name} has other values.", rank=rank, expected=str(want), actual=str(array))


def expect_equal(actual, expected):
    if type(actual) is not type(expected) or actual != expected:
        raise Failed("Another result is right.", expected=repr(expected), actual=repr(actual))


@criterion("shard", points=1, title="keeps this rank's rows")
@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_rows(student, cluster_of, world_size):
    host, pieces = cut(student, cluster_of(world_size), 8)
    expect_rows(pieces, np.split(host, world_size), "A piece")


@criterion("shard", points=1, title="lets the whole be given back")
def test_rest(student, cluster_of):
    cluster = cluster_of(2)
    _, _kept = cut(student, cluster, 8)
    for rank, device in enumerate(cluster.devices):
        if device.memory_allocated() != 96:
            actual = f"{device.memory_allocated()} bytes"
            raise Failed("More than the piece is held.", rank=rank, expected="96 bytes", actual=actual)
    if cluster.ledger.host_copies()[2:]:
        raise Failed("Data moves through the host.", expected="no host copies", actual="some")


@criterion("gather", points=1, title="gives every rank every row")
@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_whole(student, cluster_of, world_size):
    cluster = cluster_of(world_size)
    host, full = wholes(cluster, 8)
    pieces = [array[rank * 2 : rank * 2 + 2].copy() for rank, array in enumerate(full)]
    results = cluster.run(student.gather, per_rank(pieces), cluster.world)
    expect_rows(results, [host[: 2 * world_size]] * world_size, "The whole")


@criterion("gather", points=1, title="sends one all-gather", needs=["gather-whole"])
def test_traffic(student, cluster_of):
    cluster = cluster_of(4)
    _, full = wholes(cluster, 2)
    run = measured(cluster, student.gather, per_rank(full), cluster.world)
    calls = [call.operation for call in run.ledger.collectives()]
    if calls != ["all_gather_into_tensor"] or run.ledger.bytes_sent(0) != 3 * 48 or run.ledger.host_copies():
        raise Failed("The traffic is not that of one all-gather.", expected="one", actual=", ".join(calls) or "none")
    if run.peak_above_rest != (4 * 48,) * 4:
        raise Failed("More than the whole is allocated.", expected="192 bytes", actual=str(run.peak_above_rest))


@criterion("decode", points=1, title="decodes a short text")
def test_small(student):
    expect_equal(student.decode([72, 105]), "Hi")


@criterion("decode", points=1, title="decodes any text", needs=["decode-small"])
def test_random(student, rng):
    codes = [int(each) for each in rng.integers(97, 123, 12)]
    expect_equal(student.decode(codes), "".join(map(chr, codes)))


@criterion("decode", points=1, title="decodes a text that nobody knows", visibility="hidden")
def test_hidden_text(student):
    expect_equal(student.decode([ord(each) for each in EXPECTED]), EXPECTED)


@criterion("lengths", points=1, title="counts short words")
def test_short(student):
    expect_equal(student.lengths(["a", "bcd"]), [1, 3])


@criterion("lengths", points=1, title="counts words that nobody knows", visibility="hidden")
def test_hidden_words(student):
    expect_equal(student.lengths(WORDS), [11, 11, 10])


@criterion("lengths", points=1, title="counts no words")
def test_none(student):
    expect_equal(student.lengths([]), [])
