"""What is measured of a learner's functions, and of the stages beside them, at sizes that can be reckoned by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course, Exercise
from grader.devices.hardware import ETHERNET_100, H100
from grader.runner.submission import Submission, read_submission
from grader.scale import STAGES, CannotRun, Learner, Model, stage

PARAMETERS, LAYERS, DEVICES = 2**22, 4, 8
MODEL = Model(PARAMETERS, LAYERS, H100)
LAYER_BYTES = 2 * PARAMETERS // LAYERS
FORWARD = """
def train_step(layers, shards, batches, group, lr):
    [(outputs, targets)] = batches

    def gather(layer):
        shard = shards[layer.name]
        whole = group.device.empty(shard.size * group.size, shard.dtype)
        return whole, group.all_gather_into_tensor(whole, shard, async_op=True)

    gathered = gather(layers[0])
    for place, layer in enumerate(layers):
        whole, work = gathered
        work.wait()
        following = layers[place + 1 : place + 2]
        if AHEAD and following:
            gathered = gather(*following)
        outputs, _ = layer.forward(outputs, whole.reshape(layer.shape))
        whole.free()
        if not AHEAD and following:
            gathered = gather(*following)
"""
LEAK = "            release(weight)\n            saved.append(kept)\n"


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    return Course.find(Path(__file__).parents[2]).exercise("lesson10")


@pytest.fixture(scope="module")
def reference(exercise: Exercise) -> Submission:
    assert exercise.suite is not None
    return read_submission(exercise.suite / "reference", exercise)


@pytest.fixture(scope="module")
def learner(exercise: Exercise, reference: Submission) -> Iterator[Learner]:
    with Learner.of(reference, exercise) as made:
        yield made


@pytest.fixture
def with_step(exercise: Exercise, reference: Submission) -> Callable[[str, str], AbstractContextManager[Learner]]:
    """The reference with another line in its ``train_step``."""

    def make(old: str, new: str) -> AbstractContextManager[Learner]:
        text = reference.files["train_step.py"].decode()
        assert old in text
        files = {**reference.files, "train_step.py": text.replace(old, new).encode()}
        return Learner.of(Submission(files, reference.homes), exercise)

    return make


def test_the_reference_costs_what_the_paper_says_of_stage_3(learner: Learner) -> None:
    cost, run = learner.cost(MODEL, DEVICES)
    share = PARAMETERS // DEVICES
    assert cost.at_rest == {"parameters": 2 * share, "gradients": 0, "optimizer": 12 * share}
    assert cost.sent == 3 * 2 * (PARAMETERS - share)
    assert cost.collectives == {"all_gather_into_tensor": 2 * LAYERS, "reduce_scatter_tensor": LAYERS}
    assert cost.rest + LAYER_BYTES < cost.peak < cost.rest + 4 * LAYER_BYTES
    assert sum(cost.at_peak.values()) == cost.peak
    assert cost.fits
    assert cost.seconds == run.ledger.time(0).seconds > 0


def test_the_learners_way_is_that_of_stage_3_but_for_its_gradients_at_rest(learner: Learner) -> None:
    yours, _ = learner.cost(MODEL, DEVICES)
    third = stage("stage3", MODEL, DEVICES)
    assert (yours.sent, yours.collectives) == (third.sent, third.collectives)
    assert yours.at_rest["optimizer"] == third.at_rest["optimizer"]


@pytest.mark.parametrize("name", STAGES)
def test_stages_keep_at_rest_what_the_paper_says(name: str) -> None:
    cost = stage(name, MODEL, DEVICES)
    share = PARAMETERS // DEVICES
    undivided = {"stage0": (2, 2, 12), "stage1": (2, 2, 0), "stage2": (2, 0, 0), "stage3": (0, 0, 0)}[name]
    expected = [each * PARAMETERS or size * share for each, size in zip(undivided, (2, 2, 12), strict=True)]
    assert list(cost.at_rest.values()) == expected
    assert cost.peak > cost.rest
    assert sum(cost.at_peak.values()) == cost.peak


def test_a_peak_is_of_what_a_stage_holds_then() -> None:
    """Two layers at a time: their gradients are joined and reduced while the next two are gathered already."""
    wide = Model(PARAMETERS, LAYERS, H100, layers_per_unit=2, prefetch=True)
    third, second, none = (stage(name, wide, DEVICES).at_peak for name in ("stage3", "stage2", "stage0"))
    unit, batches = 2 * LAYER_BYTES, 2 * 2 * wide.rows * wide.side
    assert third["at rest"] == 2 * 8 * PARAMETERS // DEVICES + batches
    assert (third["gathered weights"], second["gathered weights"], none["gathered weights"]) == (unit, 0, 0)
    assert (third["gradients"], second["gradients"], none["gradients"]) == (unit, unit, 0)
    assert (third["gradient pieces"], none["gradient pieces"]) == (unit // DEVICES, 0)
    assert third["activations, temporaries"] >= unit  # the gradients before they are joined


def test_prefetch_hides_communication_and_wider_units_make_fewer_gathers() -> None:
    """Where a layer computes about as long as it communicates."""
    plain = Model(PARAMETERS, LAYERS, H100, rows=2**14)
    ahead, wide = replace(plain, prefetch=True), replace(plain, layers_per_unit=2)
    one, two, three = (stage("stage3", model, DEVICES) for model in (plain, ahead, wide))
    assert one.waiting_share == pytest.approx(one.communication_share)
    assert two.waiting_share < one.waiting_share
    assert two.seconds < one.seconds
    assert (two.sent, two.collectives) == (one.sent, one.collectives)
    assert two.peak > one.peak
    assert {name: 2 * count for name, count in three.collectives.items()} == one.collectives
    assert (three.sent, three.peak > one.peak) == (one.sent, True)


def test_a_peak_that_grows_with_the_layers_is_seen(with_step: Any) -> None:
    deep = Model(2 * PARAMETERS, 2 * LAYERS, H100)
    with with_step(LEAK, "            saved.append(kept)\n") as learner:
        few, many = learner.cost(MODEL, DEVICES)[0], learner.cost(deep, DEVICES)[0]
    assert many.at_peak["gathered weights"] - few.at_peak["gathered weights"] == LAYERS * LAYER_BYTES


def test_a_learner_who_gathers_ahead_waits_less(exercise: Exercise, reference: Submission) -> None:
    shares = []
    for ahead in (False, True):
        files = {**reference.files, "train_step.py": f"AHEAD = {ahead}\n{FORWARD}".encode()}
        with Learner.of(Submission(files, reference.homes), exercise) as learner:
            cost, _ = learner.cost(replace(MODEL, rows=2**14), DEVICES)
        shares.append((cost.waiting_share, cost.communication_share, cost.sent))
    (plain, busy, sent), (ahead_waits, ahead_busy, ahead_sent) = shares
    assert plain == pytest.approx(busy)
    assert ahead_waits < plain / 2 < ahead_busy
    assert ahead_sent == sent


def test_more_devices_share_what_is_at_rest_and_a_slower_link_takes_longer(learner: Learner) -> None:
    slow = Model(PARAMETERS, LAYERS, H100, ETHERNET_100)
    few, many = learner.cost(MODEL, 64)[0], learner.cost(slow, 64)[0]
    assert learner.cost(MODEL, 128)[0].rest == few.rest // 2
    assert many.seconds > few.seconds
    assert many.communication_share > few.communication_share


def test_one_device_sends_nothing(learner: Learner) -> None:
    cost, _ = learner.cost(MODEL, 1)
    assert (cost.sent, cost.at_rest["parameters"]) == (0, 2 * PARAMETERS)


def test_a_model_too_large_for_the_device_does_not_fit(learner: Learner) -> None:
    cost, _ = learner.cost(Model(10**12, 16, H100), 64)
    assert not cost.fits


def test_code_that_reads_a_value_is_told_that_there_is_none(with_step: Any) -> None:
    with (
        with_step("        saved = []\n", "        saved = [float(inputs[0, 0])]\n") as learner,
        pytest.raises(CannotRun, match=r"train_step.py, line \d+: NoDataError: "),
    ):
        learner.cost(MODEL, DEVICES)
