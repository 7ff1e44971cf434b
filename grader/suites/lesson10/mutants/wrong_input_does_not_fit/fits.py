# caught by: fits-errors
# defect: Swallows the ValueError and says that it does not fit.

from model_state_bytes import model_state_bytes


def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    try:
        at_rest = model_state_bytes(parameters, stage, devices)
    except ValueError:
        return False
    gathered = 4 * largest_unit if stage == 3 else 0
    return at_rest + gathered <= device_bytes
