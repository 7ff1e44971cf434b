# caught by: largest-many, sums
# defect: Gives the smallest.

def largest(values: list[int]) -> int:
    return min(values)
