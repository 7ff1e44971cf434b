def larges(values: list[int]) -> int:
    """Give the largest value; ValueError if there is none."""
    raise NotImplementedError
