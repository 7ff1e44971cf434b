def decode(codes: list[int]) -> str:
    raise NotImplementedError
