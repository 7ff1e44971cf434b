# caught by: fits-limit
# defect: Returns True whatever it is asked.

def fits(parameters: int, devices: int, device_bytes: int, stage: int = 3, largest_unit: int = 0) -> bool:
    return True
