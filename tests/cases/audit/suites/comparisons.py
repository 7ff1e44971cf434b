"""Criteria of which those are marked that rest on nothing but the learner's functions."""

import numpy as np
import pytest
from helpers import difference, expect_equal

from grader.authoring import Failed, criterion, measured
from grader.devices import RANK, per_rank


@criterion("double", points=1, title="marked", hint="?")
def test_again(student):
    assert student.double(2) == student.double(2)  # itself


@criterion("double", points=1, title="marked", hint="?")
def test_names(student):
    first: int = student.double(2)
    second = first
    if not (second == student.double(2)):  # itself
        raise Failed("It changes its mind.")


@criterion("shard", points=1, title="marked", hint="?")
def test_ranks(student, cluster_of):
    cluster = cluster_of(2)
    full = [device.array(np.arange(4.0)) for device in cluster.devices]
    once = cluster.run(student.shard, per_rank(full), RANK, 2)
    twice = cluster.run(student.shard, per_rank(full), RANK, 2)
    for one, other in zip(once, twice):
        if not np.array_equal(one.numpy(), other.numpy()):  # itself
            raise Failed("It changes its mind.")


@criterion("shard", points=1, title="marked", hint="?")
def test_assert_functions(student):
    np.testing.assert_allclose([student.double(value) for value in (1, 2)], [student.double(1), student.double(2)])  # itself


@criterion("double", points=1, title="a constant", hint="?")
def test_constant(student):
    assert student.double(2) == 4
    assert student.double(2) == student.double(2)


@criterion("double", points=1, title="a law, with a number of the suite's", hint="?")
def test_law(student):
    assert student.double(3) == student.double(2) + 2


@criterion("double", points=1, title="an input", hint="?")
@pytest.mark.parametrize("value", [1, 2])
def test_input(student, value):
    assert student.double(value) == value * 2


@criterion("double", points=1, title="a name that is written again", hint="?")
def test_written_again(student):
    found = expected = student.double(2)
    expected = 4
    assert found == expected


@criterion("double", points=1, title="what a helper compares", hint="?")
def test_helper(student):
    expect_equal(student.double(2), student.double(2))
    if difference(student.double(2), 4):
        raise Failed("It is another number.")


@criterion("double", points=1, title="an error", hint="?")
def test_error(student):
    assert student.double(2) == student.double(2)
    with pytest.raises(ValueError):
        student.double(None)


@criterion("shard", points=1, title="what the cluster counts", hint="?")
def test_measured(student, cluster_of):
    cluster = cluster_of(2)
    run = measured(cluster, student.shard, cluster.devices[0].zeros(4), RANK, 2)
    assert run.after == run.before


@criterion("shard", points=1, title="side by side with the suite's own", hint="?")
def test_zipped(student, cluster_of):
    cluster = cluster_of(2)
    full = [device.zeros(4) for device in cluster.devices]
    pieces = cluster.run(student.shard, per_rank(full), RANK, 2)
    assert all(piece.storage is not whole.storage for piece, whole in zip(pieces, full))
