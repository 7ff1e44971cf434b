"""Criteria of ``train_step_stage1``: values, memory, traffic, and what lies beyond."""

from __future__ import annotations

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
    TINY,
    StepCase,
    Steps,
    expect_flat_peak,
)

from grader.authoring import criterion
from grader.authoring.judging import expect_unchanged


@pytest.fixture(scope="module")
def steps(student: Any, cluster_of: ClusterOf, seed: int) -> Steps:
    """The learner's training steps."""
    return Steps(1, student, cluster_of, seed)


@criterion(
    "train_step_stage1",
    points=2,
    title="writes the new weights into the arrays in `parameters`",
    needs=["reduce_gradients-mean"],
    hint="`parameters[name] = …` puts another array into the dict, while the caller still holds the old one. And does "
    "anything carry the new master copy back into the 16-bit weight?",
)
def test_writes(steps: Steps) -> None:
    steps.right(ONE)


@criterion(
    "train_step_stage1",
    points=2,
    title="leaves the same weights on every rank",
    needs=["train_step_stage1-writes"],
    hint="A rank updates its own elements. From whom does it get all the others, and where do they lie in the weight?",
)
def test_same(steps: Steps) -> None:
    steps.taken(EVEN).expect_same()


@criterion(
    "train_step_stage1",
    points=4,
    title="makes the step that one device would make",
    needs=["train_step_stage1-same"],
    hint="Does each element's gradient meet its own master copy? Is it divided by the number of ranks, and only once?",
)
def test_values(steps: Steps) -> None:
    steps.right(EVEN)


@criterion(
    "train_step_stage1",
    points=3,
    title="makes it on 1, 2, 3 and 8 ranks, with sizes that do not divide",
    needs=["train_step_stage1-values", "partition_optimizer_state-small", "reduce_gradients-small"],
    hint="What in your step assumes that every rank has something, or that nothing is padding?",
    visibility="hidden",
)
@pytest.mark.parametrize("case", RANKS, ids=lambda case: f"{case.world_size}-ranks")
def test_ranks(steps: Steps, case: StepCase) -> None:
    steps.right(case)


@criterion(
    "train_step_stage1",
    points=2,
    title="goes on from the momentum and variance of the step before",
    needs=["train_step_stage1-values"],
    hint="What `adam.update` writes into: is it the arrays that the caller has in `state`?",
)
def test_again(steps: Steps) -> None:
    steps.right(AGAIN)


@criterion(
    "train_step_stage1",
    points=2,
    title="lets updates add up that are too small for 16 bits",
    needs=["train_step_stage1-again", "partition_optimizer_state-precision"],
    hint="From which copy does your step start: the weight in 16 bits or the master copy?",
)
def test_tiny(steps: Steps) -> None:
    steps.right(TINY)


@criterion(
    "train_step_stage1",
    points=1,
    title="leaves the batches as they are",
    needs=["train_step_stage1-values"],
    hint="An operator such as `/=` writes into the array on its left. Whose array is that?",
)
@pytest.mark.parametrize("case", [EVEN, MICRO], ids=["1-batch", "4-batches"])
def test_inputs(steps: Steps, case: StepCase) -> None:
    step = steps.taken(case)
    for rank, (arrays, hosts) in enumerate(zip(step.batches, step.history[-1], strict=True)):
        for pair, host_pair in zip(arrays, hosts, strict=True):
            for array, host in zip(pair, host_pair, strict=True):
                expect_unchanged(step.name, "a batch", array, host, **step.told, rank=rank)


@criterion(
    "train_step_stage1",
    points=2,
    title="holds 4 + 12/N bytes a parameter at rest",
    needs=["train_step_stage1-values", "partition_optimizer_state-share"],
    hint="What did the step allocate that outlives it: kept in a module's variable, or in a dict of the caller's?",
)
def test_rest(steps: Steps) -> None:
    steps.right(EQUAL).expect_at_rest(4, 12)


@criterion(
    "train_step_stage1",
    points=1,
    title="has less than two further copies of all weights at its peak",
    needs=["train_step_stage1-rest"],
    hint="What do you make of the whole model at once that could be made weight by weight? In which format is it?",
)
def test_peak(steps: Steps) -> None:
    expect_flat_peak(steps.right(SHALLOW), steps.right(DEEP), 2, "two weights in 16 bits")


@criterion(
    "train_step_stage1",
    points=2,
    title="uses no all-reduce, and copies nothing to the host",
    needs=["train_step_stage1-values", "reduce_gradients-collectives"],
    hint="A rank updates its own elements only. How much of the averaged gradient must reach it?",
)
def test_collectives(steps: Steps) -> None:
    steps.right(EVEN).expect_no_all_reduce()


@criterion(
    "train_step_stage1",
    points=2,
    title="sends no more than data parallelism: gradients once, weights once",
    needs=["train_step_stage1-collectives", "reduce_gradients-sent"],
    hint="In which format do the new weights travel, and in which are they kept?",
)
@pytest.mark.parametrize("case", [EVEN, EQUAL], ids=["3-layers", "4-layers"])
def test_sent(steps: Steps, case: StepCase) -> None:
    steps.right(case).expect_sent(elements(case.layers))


@criterion(
    "train_step_stage1",
    points=2,
    title="adds micro-batches up, and reduces their mean once",
    needs=["train_step_stage1-sent"],
    hint="Stage 1 keeps whole gradients. What can they do between two micro-batches, and by what are they divided?",
)
def test_micro(steps: Steps) -> None:
    steps.right(MICRO).expect_sent(elements(MICRO.layers))


@criterion(
    "train_step_stage1",
    points=1,
    title="adds the gradients of tied layers up, and updates once",
    needs=["train_step_stage1-sent", "partition_optimizer_state-tied"],
    hint="`backpropagate` gives a name twice. What happens to the first gradient when the second comes?",
)
def test_tied(steps: Steps) -> None:
    steps.right(TIED).expect_sent(elements(TIED.layers))


@criterion(
    "train_step_stage1",
    points=1,
    title="leaves frozen weights and those of no layer alone, and sends nothing for them",
    needs=["train_step_stage1-sent", "partition_optimizer_state-frozen"],
    hint="Do you go through what has a gradient, or through `parameters`?",
)
def test_frozen(steps: Steps) -> None:
    steps.right(FROZEN).expect_sent(elements(FROZEN.layers))


@criterion(
    "train_step_stage1",
    points=1,
    title="trains layers that joined after the first step",
    needs=["train_step_stage1-again", "partition_optimizer_state-later"],
    hint="What does your code remember from the first step, or take from `state` without looking which layers there "
    "are?",
)
def test_joined(steps: Steps) -> None:
    steps.right(JOINED)
