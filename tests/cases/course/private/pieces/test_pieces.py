"""The hidden suite of a small exercise."""

import numpy as np
import pytest

from grader.authoring import Failed, criterion
from grader.devices import RANK, per_rank


@criterion("keep", points=2, title="keeps this rank's rows", hint="Which rows belong to rank 0?")
@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_rows(student, cluster_of, world_size):
    cluster = cluster_of(world_size)
    host = np.arange(12.0).reshape(4, 3)
    full = [device.array(host) for device in cluster.devices]
    pieces = cluster.run(student.keep, per_rank(full), RANK, world_size)
    if any(piece.ndim != 2 for piece in pieces) or not np.array_equal(
        np.concatenate([piece.numpy() for piece in pieces]), host
    ):
        raise Failed("The pieces together are not the whole.", expected="every row once")


@criterion("keep", points=1, title="owns its storage", needs=["keep-rows"])
def test_owns(student, cluster_of):
    cluster = cluster_of(2)
    full = [device.array(np.arange(8.0)) for device in cluster.devices]
    pieces = cluster.run(student.keep, per_rank(full), RANK, 2)
    if any(piece.storage is whole.storage for piece, whole in zip(pieces, full, strict=True)):
        raise Failed("A piece is a view of the whole.")


@criterion("total", points="0.5", title="adds small numbers")
def test_small(student):
    assert student.total(2, 3) == 5, "2 + 3 is 5"


@criterion("total", points=1, title="adds numbers of any size", needs=["total-small"])
def test_large(student, rng):
    first, second = (int(each) << 100 for each in rng.integers(1, 1000, 2))
    assert student.total(first, second) == first + second


@criterion("share", points="0.5", title="adds up over ranks")
def test_sum(student, cluster_of):
    cluster = cluster_of(4)
    arrays = [device.zeros(2) + device.rank for device in cluster.devices]
    for result in cluster.run(student.share, per_rank(arrays), cluster.world):
        assert result.numpy().tolist() == [6, 6], "The sum over ranks is wrong."
