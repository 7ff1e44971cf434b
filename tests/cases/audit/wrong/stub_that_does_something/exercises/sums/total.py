def total(values: list[int]) -> int:
    """Add up all values."""
    return 1 / 0
