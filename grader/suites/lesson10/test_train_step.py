"""Criteria of ``train_step``."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring import criterion


@criterion(
    "train_step",
    points=1,
    title="writes the new weights into the arrays in `shards`",
    needs=["gather-even", "reduce_gradient-mean"],
    hint="`shards[name] = ...` puts another array into the dict; the caller still holds the old one. What does `shards[name] -= ...` do instead?",
)
def test_writes(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=2,
    title="takes the mean over ranks and rows",
    needs=["train_step-writes", "reduce_gradient-layout"],
    hint="`loss_gradient` divides by the rows of one rank. Who divides by the number of ranks, and does it happen once?",
)
def test_mean(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=3,
    title="makes the step that one device would make",
    needs=["train_step-mean"],
    hint="Follow the gradient by hand through two layers: which weight does each `backward` need, and in which order do the layers come?",
)
def test_values(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=2,
    title="makes it on 1, 2, 3 and 8 ranks, with sizes that do not divide",
    needs=["train_step-values", "gather-uneven", "gather-small", "reduce_gradient-uneven", "reduce_gradient-small"],
    hint="What in your step assumes that every rank has something, or that there is more than one rank?",
)
def test_ranks(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=1,
    title="a second step starts from the weights of the first",
    needs=["train_step-values"],
    hint="What does your code keep from one step to the next?",
)
def test_again(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=1,
    title="leaves the batches as they are",
    needs=["train_step-values"],
    hint="An operator such as `-=` writes into the array on its left. Whose array is that?",
)
def test_inputs(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=3,
    title="has at most two gathered weights alive at once",
    needs=["train_step-values", "release-frees"],
    hint="From where on is a gathered weight not needed any more? And when is it needed again?",
)
def test_alive(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=3,
    title="has a peak that does not grow by a weight with every layer",
    needs=["train_step-alive"],
    hint="Besides gathered weights, what of a layer's full size does your step make? Who still holds it when the next layer's turn comes?",
)
def test_peak(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=2,
    title="has as many bytes allocated after the step as before",
    needs=["train_step-values", "release-frees"],
    hint="What did the step allocate that outlives it: in a module's variable, or never released?",
)
def test_rest(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=1,
    title="gathers each layer once or twice",
    needs=["train_step-alive", "train_step-peak", "train_step-rest"],
    hint="Forward needs the weight, and backward needs it again. What is the further gather for?",
)
def test_gathers(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=2,
    title="reduce-scatters each gradient once, no all-reduce",
    needs=["train_step-alive", "train_step-peak", "train_step-rest"],
    hint="A rank updates its own piece only. How much of the averaged gradient must reach it?",
)
def test_reduces(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=1,
    title="sends at most 1.5 times what data parallelism does",
    needs=["train_step-gathers", "train_step-reduces"],
    hint="Two all-gathers and one reduce-scatter for each layer are 1.5 times an all-reduce. What is sent beyond them?",
)
def test_sent(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=1,
    title="copies nothing to the host",
    needs=["train_step-alive", "train_step-peak", "train_step-rest"],
    hint="Everything that a step needs is on the device. Which operation does there what you went to the host for?",
)
def test_host(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=2,
    title="adds the gradients of tied layers up, and updates once",
    needs=["train_step-gathers", "train_step-reduces"],
    hint="Two layers of one name have one shard. What happens to the first gradient when the second comes?",
)
def test_tied(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=1,
    title="gathers a frozen layer, never reduces it, and keeps its weight",
    needs=["train_step-gathers", "train_step-reduces"],
    hint="`backward` gives None for the weight of a frozen layer. What must still flow through it?",
)
def test_frozen(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=1,
    title="leaves a shard that no layer has alone",
    needs=["train_step-gathers", "train_step-reduces"],
    hint="Do you go through `layers`, or through `shards`?",
)
def test_unused(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=2,
    title="adds micro-batches up, and updates once after the last",
    needs=["train_step-gathers", "train_step-reduces"],
    hint="Which weights must the second micro-batch see? And what becomes of the gradient of the first?",
)
def test_micro(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")


@criterion(
    "train_step",
    points=1,
    title="every rank takes part in every collective, also with an empty piece",
    needs=["train_step-gathers", "train_step-reduces", "train_step-ranks"],
    hint="A rank that stays away from a collective leaves the others waiting. What decides in your code whether it is called?",
)
def test_order(student: Any, cluster_of: Any) -> None:
    pytest.fail("to do")
