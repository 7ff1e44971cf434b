# caught by: fits-stages
# defect: Compares one copy of everything with the memory of all devices, as if all of it were divided.

from model_state_bytes import model_state_bytes


def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    at_rest = model_state_bytes(parameters, stage, 1)
    gathered = 4 * largest_unit if stage == 3 else 0
    return at_rest + gathered <= devices * device_bytes
