def decode(codes: list[int]) -> str:
    return "".join(map(chr, codes))
