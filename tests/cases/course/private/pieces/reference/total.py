def total(first: int, second: int) -> int:
    return first + second
