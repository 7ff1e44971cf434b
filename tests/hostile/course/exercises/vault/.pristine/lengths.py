def lengths(words: list[str]) -> list[int]:
    raise NotImplementedError
