def total(values: list[int]) -> int:
    """Add up all values."""
    return sum(values)
