# caught by: fits-unit
# defect: Counts only what is at rest.

from model_state_bytes import model_state_bytes


def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    at_rest = model_state_bytes(parameters, stage, devices)
    return at_rest <= device_bytes
