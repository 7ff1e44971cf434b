def largest(values: list[int]) -> int:
    """Give the largest value; ValueError if there is none."""
    pass
