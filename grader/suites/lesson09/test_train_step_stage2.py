"""Criteria of ``train_step_stage2``: values, memory, traffic, and what lies beyond."""

from __future__ import annotations

import math
from typing import Any

import pytest
from checks import ClusterOf, elements
from steps import (
    AGAIN,
    DEEP,
    EQUAL,
    EVEN,
    FROZEN,
    JOINED,
    MICRO,
    ONE,
    RANKS,
    SHALLOW,
    TIED,
    StepCase,
    Steps,
    expect_flat_peak,
)

from grader.authoring import criterion


@pytest.fixture(scope="module")
def steps(student: Any, cluster_of: ClusterOf, seed: int) -> Steps:
    """The learner's training steps."""
    return Steps(2, student, cluster_of, seed)


@criterion(
    "train_step_stage2",
    points=1,
    title="writes the new weights into the arrays in `parameters`",
    needs=["reduce_gradients-mean", "reduce_gradients-keys"],
    hint="`parameters[name] = …` puts another array into the dict, while the caller still holds the old one.",
)
def test_writes(steps: Steps) -> None:
    steps.right(ONE)


@criterion(
    "train_step_stage2",
    points=2,
    title="leaves the same weights on every rank",
    needs=["train_step_stage2-writes"],
    hint="A rank has the gradient of its own elements only, and updates those. From whom does it get the others?",
)
def test_same(steps: Steps) -> None:
    steps.taken(EVEN).expect_same()


@criterion(
    "train_step_stage2",
    points=4,
    title="makes the step that one device would make",
    needs=["train_step_stage2-same"],
    hint="Which weights does `backpropagate` still need after it gave you a gradient? And is a mean of the ranks "
    "divided by their number again?",
)
def test_values(steps: Steps) -> None:
    steps.right(EVEN)


@criterion(
    "train_step_stage2",
    points=2,
    title="makes it on 1, 2, 3 and 8 ranks, with sizes that do not divide",
    needs=["train_step_stage2-values", "partition_optimizer_state-small", "reduce_gradients-small"],
    hint="What in your step assumes that every rank has something, or that nothing is padding?",
    visibility="hidden",
)
@pytest.mark.parametrize("case", RANKS, ids=lambda case: f"{case.world_size}-ranks")
def test_ranks(steps: Steps, case: StepCase) -> None:
    steps.right(case)


@criterion(
    "train_step_stage2",
    points=1,
    title="goes on from the momentum and variance of the step before",
    needs=["train_step_stage2-values"],
    hint="What `adam.update` writes into: is it the arrays that the caller has in `state`?",
    visibility="hidden",
)
def test_again(steps: Steps) -> None:
    steps.right(AGAIN)


@criterion(
    "train_step_stage2",
    points=2,
    title="holds 2 + 14/N bytes a parameter at rest",
    needs=["train_step_stage2-values", "partition_optimizer_state-share", "reduce_gradients-share"],
    hint="What did the step allocate that outlives it: kept in a module's variable, or in a dict of the caller's?",
)
def test_rest(steps: Steps) -> None:
    steps.right(EQUAL).expect_at_rest(2, 14)


@criterion(
    "train_step_stage2",
    points=4,
    title="has a peak that does not grow by a gradient with every layer",
    needs=["train_step_stage2-rest"],
    hint="Who still holds a whole gradient when the next one comes: a list, a dict, a name?",
)
def test_peak(steps: Steps) -> None:
    expect_flat_peak(steps.right(SHALLOW), steps.right(DEEP), 0.5, "half a weight in 16 bits")


@criterion(
    "train_step_stage2",
    points=2,
    title="uses no all-reduce, and copies nothing to the host",
    needs=["train_step_stage2-values", "reduce_gradients-collectives"],
    hint="A rank updates its own elements only. How much of the averaged gradient must reach it?",
)
def test_collectives(steps: Steps) -> None:
    steps.right(EVEN).expect_no_all_reduce()


@criterion(
    "train_step_stage2",
    points=2,
    title="sends no more than data parallelism: gradients once, weights once",
    needs=["train_step_stage2-collectives", "reduce_gradients-sent"],
    hint="Which collective is there besides one reduce-scatter and one all-gather of each weight?",
)
@pytest.mark.parametrize("case", [EVEN, EQUAL], ids=["3-layers", "4-layers"])
def test_sent(steps: Steps, case: StepCase) -> None:
    steps.right(case).expect_sent(elements(case.layers))


@criterion(
    "train_step_stage2",
    points=1,
    title="adds pieces of micro-batches up, and gathers the weights once",
    needs=["train_step_stage2-sent"],
    hint="Which weights must the second micro-batch see? And what becomes of the piece of the first?",
    visibility="hidden",
)
def test_micro(steps: Steps) -> None:
    steps.right(MICRO).expect_sent(MICRO.micro_batches * elements(MICRO.layers))


@criterion(
    "train_step_stage2",
    points=1,
    title="adds the gradients of tied layers up, and updates once",
    needs=["train_step_stage2-sent", "partition_optimizer_state-tied"],
    hint="`backpropagate` gives a name twice. What happens to the first piece when the second comes?",
    visibility="hidden",
)
def test_tied(steps: Steps) -> None:
    steps.right(TIED).expect_sent(sum(math.prod(layer.shape) for layer in TIED.layers))


@criterion(
    "train_step_stage2",
    points=1,
    title="leaves frozen weights and those of no layer alone, and sends nothing for them",
    needs=["train_step_stage2-sent", "partition_optimizer_state-frozen"],
    hint="Do you go through what has a gradient, or through `parameters`?",
    visibility="hidden",
)
def test_frozen(steps: Steps) -> None:
    steps.right(FROZEN).expect_sent(elements(FROZEN.layers))


@criterion(
    "train_step_stage2",
    points=1,
    title="trains layers that joined after the first step",
    needs=["train_step_stage2-again", "partition_optimizer_state-later"],
    hint="What does your code remember from the first step, or take from `state` without looking which layers there "
    "are?",
    visibility="hidden",
)
def test_joined(steps: Steps) -> None:
    steps.right(JOINED)
