"""Whether a model fits into a device's memory."""

from model_state_bytes import model_state_bytes


def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    """The model states must fit and, at stage 3, a whole unit and its gradient besides."""
    at_rest = model_state_bytes(parameters, stage, devices)
    gathered = 4 * largest_unit if stage == 3 else 0
    return at_rest + gathered <= device_bytes
