def lengths(words: list[str]) -> list[int]:
    return [len(word) for word in words]
