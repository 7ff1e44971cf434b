# caught by: largest-any
# defect: Takes the first value for the largest.

def largest(values: list[int]) -> int:
    return values[0]
