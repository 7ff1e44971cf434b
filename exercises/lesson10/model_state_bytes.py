"""The memory of model states, by ZeRO stage."""


def model_state_bytes(parameters: int, stage: int, devices: int, optimizer: str = "adam") -> int:
    """Bytes of model states that one device holds at rest, in mixed-precision training.

    parameters: how many numbers the model has, at least 0.
    stage: the ZeRO stage. 0 divides nothing, 1 the optimizer state, 2 the gradients too, 3 the parameters
        too.
    devices: how many share what is divided, at least 1.
    optimizer: "adam", "momentum" or "sgd".

    A parameter takes 2 bytes as a 16-bit weight, 2 as a 16-bit gradient, and for the optimizer 12 (adam),
    8 (momentum) or 4 (sgd), the 32-bit master copy of the weight included. What is not divided counts
    once for each parameter; of what is divided a device holds ceil(parameters / devices), the largest
    piece. The result is exact.

    Raises ValueError for another stage or optimizer, for devices below 1 or parameters below 0, and where
    a number is a bool or no int.

    Example: 7.5 * 10**9 parameters, adam, 64 devices: stage 2 gives 2 * 7.5 * 10**9 + 14 * 117_187_500 =
    16_640_625_000 bytes, stage 3 gives 16 * 117_187_500 = 1_875_000_000. And 10 parameters on 4 devices
    at stage 3 are 16 * 3 = 48 bytes.
    """
    # TODO: add up what a device holds.
    raise NotImplementedError
