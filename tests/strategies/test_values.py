"""Every strategy trains as one device does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from grader.devices import Cluster
from grader.strategies import SGD, Adam, Flat, PerParameter, Settings, strategies
from grader.strategies.sharding import Sharding

from .strategy_cases import ALL, CASES, DOUBLE, node_size, train, train_on_one

BASE = Settings(precision=DOUBLE)


def settings_of(case: str, ranks: int, **changes: object) -> Settings:
    return replace(BASE, units=CASES[case].units, node_size=node_size(ranks), **changes)  # type: ignore[arg-type]


def test_every_strategy_is_tried() -> None:
    assert sorted(ALL) == strategies()


@pytest.mark.parametrize(
    ("ranks", "sharding"), [(1, PerParameter), (2, Flat), (3, PerParameter), (4, Flat), (8, PerParameter)]
)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ALL)
def test_one_step_is_that_of_one_device(name: str, case: str, ranks: int, sharding: type[Sharding]) -> None:
    """Bit by bit, since all numbers are small whole ones, but where the mean is over three."""
    settings = settings_of(case, ranks, sharding=sharding)
    found = train(name, CASES[case], Cluster(ranks), settings, micro_batches=2, steps=1, lr=1 / 64)
    wanted = train_on_one(CASES[case], ranks, micro_batches=2, steps=1, lr=1 / 64, optimizer=SGD())
    assert found[0].keys() == wanted.keys()
    for weights in found:
        for parameter, weight in wanted.items():
            if ranks == 3:
                np.testing.assert_allclose(weights[parameter], weight, rtol=1e-12, atol=1e-12)
            else:
                np.testing.assert_array_equal(weights[parameter], weight)


@pytest.mark.parametrize(("optimizer", "prefetch"), [(SGD(), True), (Adam(), False)])
@pytest.mark.parametrize("ranks", [3, 4])
@pytest.mark.parametrize("case", ["uneven", "tied apart", "grouped", "frozen"])
@pytest.mark.parametrize("name", ALL)
def test_three_steps_are_those_of_one_device(
    name: str, case: str, ranks: int, prefetch: bool, optimizer: SGD | Adam
) -> None:
    settings = settings_of(case, ranks, optimizer=optimizer, prefetch=prefetch)
    found = train(name, CASES[case], Cluster(ranks), settings, micro_batches=1, steps=3, lr=1 / 1024)
    wanted = train_on_one(CASES[case], ranks, micro_batches=1, steps=3, lr=1 / 1024, optimizer=optimizer)
    for weights in found:
        for parameter, weight in wanted.items():
            np.testing.assert_allclose(weights[parameter], weight, rtol=1e-12, atol=1e-12)
            np.testing.assert_array_equal(weights[parameter], found[0][parameter])


@pytest.mark.parametrize("name", ALL)
def test_unused_and_frozen_parameters_stay(name: str) -> None:
    for case, parameter in (("unused", "spare"), ("frozen", "b")):
        settings = settings_of(case, 4, optimizer=Adam())
        found = train(name, CASES[case], Cluster(4), settings, micro_batches=1, steps=2, lr=1.0)
        np.testing.assert_array_equal(found[3][parameter], CASES[case].weights()[parameter])
        assert (found[3]["a"] != CASES[case].weights()["a"]).any()
