# caught by: total-none
# defect: Leaves the last value out.

def total(values: list[int]) -> int:
    return sum(values[:-1])
