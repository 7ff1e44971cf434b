# caught by: total-none
# defect: Begins with the first value, which need not be there.

def total(values: list[int]) -> int:
    return values[0] + sum(values[1:])
