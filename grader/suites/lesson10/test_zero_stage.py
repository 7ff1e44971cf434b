"""Criteria of ``zero_stage``: the table of the brief, row by row, and what it does not have."""

from __future__ import annotations

from typing import Any

import pytest
from checks import expect_refusal

from grader.authoring import Failed, criterion

Config = dict[str, Any]


def expect_stage(student: Any, wanted: int, config: Config) -> None:
    """The function must return this stage."""
    found = student.zero_stage(config)
    if found != wanted:
        raise Failed(
            "The stage is not the nearest one.",
            call=f"zero_stage({config})",
            expected=f"stage {wanted}",
            actual=f"stage {found}",
        )


def expect_named(student: Any, config: Config, *names: str, every: bool = True) -> None:
    """The function must raise a ValueError whose message has these names, or one of them."""
    call = f"zero_stage({config})"
    text = expect_refusal(lambda: student.zero_stage(config), call)
    missing = [name for name in names if name not in text]
    if missing and (every or len(missing) == len(names)):
        raise Failed(
            "The message of the ValueError does not name the key at fault.",
            call=call,
            expected=f"a message with {(' and ' if every else ' or ').join(names)}",
            actual=text or "a message without text",
        )


@criterion(
    "zero_stage",
    points=1,
    title="knows FSDP1's sharding strategies",
    hint="Which of the strategies give the parameters up between forward and backward? The brief has a table.",
)
@pytest.mark.parametrize(
    ("strategy", "wanted"),
    [
        ("FULL_SHARD", 3),
        ("SHARD_GRAD_OP", 2),
        ("NO_SHARD", 0),
        ("HYBRID_SHARD", 3),
        ("_HYBRID_SHARD_ZERO2", 2),
        ("HYBRID_SHARD_ZERO2", 2),
    ],
)
def test_fsdp1(student: Any, strategy: str, wanted: int) -> None:
    expect_stage(student, wanted, {"sharding_strategy": strategy})


@criterion(
    "zero_stage",
    points=1,
    title="tells True and False from numbers in FSDP2's `reshard_after_forward`",
    hint="`True == 1` and `False == 0`. Which do you ask first: is it a bool, or is it a number?",
)
def test_fsdp2(student: Any) -> None:
    for setting, wanted in ((True, 3), (False, 2), (None, 3), (2, 3), (8, 3)):
        expect_stage(student, wanted, {"reshard_after_forward": setting})
    for wrong in (0, 1, -2, "true", 2.0):
        expect_named(student, {"reshard_after_forward": wrong}, "reshard_after_forward")


@criterion(
    "zero_stage",
    points=1,
    title="reads DeepSpeed's stage",
    hint="Where does DeepSpeed write its stage? And which of its stages can put parameters elsewhere?",
)
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_deepspeed(student: Any, stage: int) -> None:
    expect_stage(student, stage, {"zero_optimization": {"stage": stage}})
    offloaded = {"zero_optimization": {"stage": stage, "offload_param": {"device": "cpu"}}}
    if stage == 3:
        expect_stage(student, 3, offloaded)
    else:
        expect_named(student, offloaded, "offload_param")


@criterion(
    "zero_stage",
    points=1,
    title="reads Accelerate's two versions",
    needs=["zero_stage-fsdp1", "zero_stage-fsdp2"],
    hint="What is the version when none is given, and which key belongs to which version?",
)
@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"fsdp_version": 1, "fsdp_sharding_strategy": "FULL_SHARD"}, 3),
        ({"fsdp_version": 1, "fsdp_sharding_strategy": "HYBRID_SHARD_ZERO2"}, 2),
        ({"fsdp_version": 1, "fsdp_sharding_strategy": "_HYBRID_SHARD_ZERO2"}, 2),
        ({"fsdp_sharding_strategy": "NO_SHARD"}, 0),
        *(
            ({"fsdp_version": 1, "fsdp_sharding_strategy": number}, wanted)
            for number, wanted in ((1, 3), (2, 2), (3, 0), (4, 3), (5, 2))
        ),
        ({"fsdp_sharding_strategy": 2}, 2),
        ({"fsdp_version": 2, "fsdp_reshard_after_forward": True}, 3),
        ({"fsdp_version": 2, "fsdp_reshard_after_forward": False}, 2),
        ({"fsdp_version": 2, "fsdp_reshard_after_forward": "true"}, 3),
        ({"fsdp_version": 2, "fsdp_reshard_after_forward": "false"}, 2),
        ({"fsdp_version": 2, "fsdp_reshard_after_forward": 4}, 3),
        ({"fsdp_version": 2, "fsdp_reshard_after_forward": None}, 3),
    ],
)
def test_accelerate(student: Any, settings: Config, wanted: int) -> None:
    expect_stage(student, wanted, {"fsdp_config": settings})


FAMILIES = {
    "sharding_strategy": "FULL_SHARD",
    "reshard_after_forward": True,
    "zero_optimization": {"stage": 3},
    "fsdp_config": {"fsdp_sharding_strategy": "FULL_SHARD"},
}


@criterion(
    "zero_stage",
    points=1,
    title="wants one family, not none or two, whatever else stands there",
    needs=["zero_stage-fsdp1", "zero_stage-deepspeed"],
    hint="How many of the four keys may a configuration have, and which others? What should the message say?",
)
@pytest.mark.parametrize(
    "keys",
    [
        (),
        ("sharding_strategy", "reshard_after_forward"),
        ("zero_optimization", "fsdp_config"),
        ("sharding_strategy", "zero_optimization"),
    ],
)
def test_families(student: Any, keys: tuple[str, ...]) -> None:
    expect_stage(student, 2, {"sharding_strategy": "SHARD_GRAD_OP", "train_batch_size": 8})
    expect_stage(student, 1, {"zero_optimization": {"stage": 1, "overlap_comm": True}, "bf16": {"enabled": True}})
    expect_named(student, {"train_batch_size": 8, **{key: FAMILIES[key] for key in keys}}, *(keys or FAMILIES))


@criterion(
    "zero_stage",
    points=1,
    title="refuses what the table does not have, and names the key",
    needs=["zero_stage-fsdp1", "zero_stage-deepspeed", "zero_stage-accelerate"],
    hint="The table is closed. What does your code do with a value, or with a pair of keys, that no row has?",
    visibility="hidden",
)
@pytest.mark.parametrize(
    ("config", "names"),
    [
        ({"sharding_strategy": "HYBRID"}, ["sharding_strategy"]),
        ({"sharding_strategy": None}, ["sharding_strategy"]),
        ({"zero_optimization": {"stage": 4}}, ["stage", "zero_optimization"]),
        ({"zero_optimization": {"stage": True}}, ["stage", "zero_optimization"]),
        ({"zero_optimization": {"stage": "2"}}, ["stage", "zero_optimization"]),
        ({"zero_optimization": {}}, ["stage", "zero_optimization"]),
        ({"fsdp_config": {"fsdp_sharding_strategy": 6}}, ["fsdp_sharding_strategy"]),
        ({"fsdp_config": {"fsdp_sharding_strategy": True}}, ["fsdp_sharding_strategy"]),
        ({"fsdp_config": {"fsdp_sharding_strategy": 0}}, ["fsdp_sharding_strategy"]),
        ({"fsdp_config": {"fsdp_version": 3, "fsdp_sharding_strategy": 1}}, ["fsdp_version"]),
        ({"fsdp_config": {"fsdp_version": 2, "fsdp_sharding_strategy": 1}}, ["fsdp_sharding_strategy"]),
        (
            {"fsdp_config": {"fsdp_version": 2, "fsdp_sharding_strategy": 1, "fsdp_reshard_after_forward": True}},
            ["fsdp_sharding_strategy"],
        ),
        ({"fsdp_config": {"fsdp_version": 1, "fsdp_reshard_after_forward": True}}, ["fsdp_reshard_after_forward"]),
        ({"fsdp_config": {"fsdp_version": 2, "fsdp_reshard_after_forward": 1}}, ["fsdp_reshard_after_forward"]),
        ({"fsdp_config": {"fsdp_version": 2, "fsdp_reshard_after_forward": "yes"}}, ["fsdp_reshard_after_forward"]),
        ({"fsdp_config": {"fsdp_version": 2}}, ["fsdp_reshard_after_forward", "fsdp_version", "fsdp_config"]),
    ],
)
def test_values(student: Any, config: Config, names: list[str]) -> None:
    expect_stage(student, 1, {"zero_optimization": {"stage": 1}})
    expect_named(student, config, *names, every=False)
