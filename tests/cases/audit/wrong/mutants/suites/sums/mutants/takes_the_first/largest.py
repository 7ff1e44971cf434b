# caught by: largest-any
# defect: Is said to take the first value, and does not.

def largest(values: list[int]) -> int:
    return max(iter(values))
