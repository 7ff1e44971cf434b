"""Whether a model fits into a device's memory."""


def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    """Whether the model states, and the largest unit while it runs, fit into one device.

    parameters, devices, stage: as in ``model_state_bytes``; the optimizer is Adam.
    device_bytes: the memory of a device in bytes. 32 GB are 32 * 10**9.
    largest_unit: the parameters of the largest unit that is gathered at a time. It counts at stage 3
        only; there it takes 4 bytes a parameter on top: its whole 16-bit weights and its whole 16-bit
        gradient.

    Returns True if they fit, to the last byte. Activations and buffers are left out.

    Raises ValueError where ``model_state_bytes`` does. You may use your own: ``import`` it from its file.

    Example: 10**12 parameters on 1024 devices of 32 GB. At stage 3 a device holds 15.625 * 10**9 bytes.
    One of 128 equal layers, gathered, takes 4 * 7_812_500_000 more: 46.875 * 10**9 in all.

        fits(10**12, 1024, 32 * 10**9)                              is True
        fits(10**12, 1024, 32 * 10**9, largest_unit=7_812_500_000)  is False
    """
    # TODO: compare what is needed with what there is.
    raise NotImplementedError
