# caught by: fits-stages
# defect: Adds the unit at stages 0 to 2 too, where it is at rest already.

from model_state_bytes import model_state_bytes


def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    at_rest = model_state_bytes(parameters, stage, devices)
    gathered = 4 * largest_unit
    return at_rest + gathered <= device_bytes
