# caught by: fits-limit
# defect: Compares the need in GiB with the memory in GB, 7 % apart.

from model_state_bytes import model_state_bytes


def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    at_rest = model_state_bytes(parameters, stage, devices)
    gathered = 4 * largest_unit if stage == 3 else 0
    return (at_rest + gathered) / 2**30 <= device_bytes / 10**9
