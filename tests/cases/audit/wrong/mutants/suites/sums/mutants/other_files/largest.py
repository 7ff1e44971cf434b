# caught by: largest-any
# defect: Gives the smallest.

def largest(values: list[int]) -> int:
    return min(values)
