"""The memory of model states, by ZeRO stage."""

OPTIMIZER_BYTES = {"adam": 12, "momentum": 8, "sgd": 4}


def model_state_bytes(parameters: int, stage: int, devices: int, optimizer: str = "adam") -> int:
    """16-bit weights, 16-bit gradients, optimizer state; of what is divided, the largest piece."""
    for name, value in (("parameters", parameters), ("stage", stage), ("devices", devices)):
        if type(value) is not int:
            raise ValueError(f"{name} must be an int, not {value!r}")
    if parameters < 0:
        raise ValueError(f"parameters must be at least 0, not {parameters}")
    if stage not in range(4):
        raise ValueError(f"stage must be 0, 1, 2 or 3, not {stage}")
    if devices < 1:
        raise ValueError(f"devices must be at least 1, not {devices}")
    if optimizer not in OPTIMIZER_BYTES:
        raise ValueError(f"optimizer must be one of {', '.join(OPTIMIZER_BYTES)}, not {optimizer!r}")

    piece = -(-parameters // devices)
    weights = piece if stage >= 3 else parameters
    gradients = piece if stage >= 2 else parameters
    states = piece if stage >= 1 else parameters
    return 2 * weights + 2 * gradients + OPTIMIZER_BYTES[optimizer] * states
