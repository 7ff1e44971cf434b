def largest(values: list[int]) -> int:
    return max(values)
