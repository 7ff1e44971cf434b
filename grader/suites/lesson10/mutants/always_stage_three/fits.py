# caught by: fits-stages
# defect: Forgets to pass the stage on.

from model_state_bytes import model_state_bytes


def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    at_rest = model_state_bytes(parameters, 3, devices)
    gathered = 4 * largest_unit if stage == 3 else 0
    return at_rest + gathered <= device_bytes
