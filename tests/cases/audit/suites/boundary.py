"""Idioms beside others that look like them: those that cannot cross are marked."""

import inspect

import numpy as np
import pytest
from checks import shard_of
from double import double  # crosses not

from grader.authoring import StudentError, criterion, measured
from grader.devices import RANK, UseAfterFreeError, per_rank


def expect_refusal(call):
    with pytest.raises(ValueError):
        call()


@pytest.fixture
def printed(capfd):  # crosses not
    return capfd


@criterion("double", points=1, title="values", hint="?")
def test_values(student, cluster_of, rng, wanted):
    numbers = np.arange(3)
    plain = numbers.tolist()
    assert student.double(plain[0]) is wanted
    assert student.double(np.arange(3).max().item()) == 4
    assert student.double(int(rng.integers(3))) >= 0
    assert student.double(len({1, 2})) == 4
    assert student.double(numbers)  # crosses not
    assert student.double(value=[{"a": (1, np.zeros(2))}])  # crosses not
    assert isinstance(student.double(2), int)
    assert getattr(student, "double")(2) == 4
    assert student.double(plain) is plain  # crosses not
    assert inspect.signature(expect_refusal)
    assert inspect.signature(student.double)  # crosses not
    assert student.double.__name__ == "double"  # crosses not
    assert student.doubles(2) == 4  # crosses not


@criterion("shard", points=1, title="arrays", hint="?")
def test_arrays(student, cluster_of):
    cluster = cluster_of(2)
    host = np.arange(4.0)
    full = [device.array(host) for device in cluster.devices]
    pieces = cluster.run(student.shard, per_rank(full), RANK, 2)
    run = measured(cluster, student.shard, per_rank([device.array(np.zeros(3)) for device in cluster.devices]), RANK, 2)
    cluster.run(student.shard, per_rank([host, host]), RANK, 2)  # crosses not
    whole = cluster.run(lambda piece: np.concatenate([piece, piece]), per_rank(pieces))
    cluster.run(lambda piece, rank: student.shard(piece, rank, 2), per_rank(pieces), RANK)  # crosses not
    expect_refusal(lambda: student.double(None))
    assert run.results[0].storage is not whole[0].storage
    student.shard(full, 0, 2)
    assert np.array_equal(full[0].numpy(), host)


@criterion("double", points=1, title="changes", hint="?")
def test_changes(student):
    values = [2, 1]
    student.double(values)  # crosses not
    assert values == [2, 1]
    others = [3]
    assert others == [3]
    student.double(others)


@criterion("double", points=1, title="errors", hint="?")
def test_errors(student):
    for error in (ValueError, UseAfterFreeError, StudentError, Exception):
        with pytest.raises(error):
            student.double(None)
    with pytest.raises((KeyError, OSError)):  # crosses not
        student.double(None)
    with pytest.raises(OSError):
        open("nothing")
    with pytest.raises(student.TooLarge):  # crosses not
        student.double(2)
