# caught by: zero_stage-fsdp2
# defect: Counts None, FSDP2's default, as False.

from collections.abc import Callable, Mapping

# In the order in which Accelerate numbers them, from 1.
STRATEGIES = {
    "FULL_SHARD": 3,
    "SHARD_GRAD_OP": 2,
    "NO_SHARD": 0,
    "HYBRID_SHARD": 3,
    "HYBRID_SHARD_ZERO2": 2,
}
WORDS = {"true": True, "false": False}


def zero_stage(config: Mapping[str, object]) -> int:
    found = [key for key in FAMILIES if key in config]
    if len(found) != 1:
        raise ValueError(f"exactly one of {', '.join(FAMILIES)} is needed, found {', '.join(found) or 'none'}")
    (key,) = found
    return FAMILIES[key](key, config[key])


def _strategy(key: str, value: object) -> int:
    name = value.removeprefix("_") if isinstance(value, str) else ""
    if name not in STRATEGIES:
        raise ValueError(f"{key}: {value!r} is not a sharding strategy")
    return STRATEGIES[name]


def _reshard(key: str, value: object) -> int:
    if value is False or value is None:
        return 2
    if value is True or value is None or (isinstance(value, int) and value >= 2):
        return 3
    raise ValueError(f"{key} must be True, False, None or an int of at least 2, not {value!r}")


def _deepspeed(key: str, value: object) -> int:
    settings = _mapping(key, value)
    stage = settings.get("stage")
    if type(stage) is not int or stage not in range(4):
        raise ValueError(f"{key}: stage must be 0, 1, 2 or 3, not {stage!r}")
    if stage < 3 and "offload_param" in settings:
        raise ValueError(f"{key}: offload_param needs stage 3, not {stage}")
    return stage


def _accelerate(key: str, value: object) -> int:
    settings = _mapping(key, value)
    version = settings.get("fsdp_version", 1)
    if type(version) is not int or version not in (1, 2):
        raise ValueError(f"{key}: fsdp_version must be 1 or 2, not {version!r}")
    own, other = "fsdp_sharding_strategy", "fsdp_reshard_after_forward"
    if version == 2:
        own, other = other, own
    if other in settings:
        raise ValueError(f"{key}: {other} does not belong to fsdp_version {version}")
    if own not in settings:
        raise ValueError(f"{key}: fsdp_version {version} needs {own}")

    setting = settings[own]
    if version == 2:
        return _reshard(own, WORDS.get(setting, setting) if isinstance(setting, str) else setting)
    if type(setting) is int and setting in range(1, 6):
        setting = list(STRATEGIES)[setting - 1]
    return _strategy(own, setting)


def _mapping(key: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{key} must be a mapping, not {value!r}")
    return value


FAMILIES: dict[str, Callable[[str, object], int]] = {
    "sharding_strategy": _strategy,
    "reshard_after_forward": _reshard,
    "zero_optimization": _deepspeed,
    "fsdp_config": _accelerate,
}
