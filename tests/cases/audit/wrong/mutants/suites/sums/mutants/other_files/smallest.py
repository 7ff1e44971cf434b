def smallest(values: list[int]) -> int:
    return min(values)
