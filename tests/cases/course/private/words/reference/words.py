def longest(text: str) -> str:
    return max(text.split(), key=len)
