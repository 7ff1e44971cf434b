"""Given: the table of the ZeRO paper, filled in by your model_state_bytes. Run it: ``python paper.py``.

The paper is "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", arXiv 1910.02054,
Table 1.
"""

GB = 10**9


def paper_cell(count: int) -> str:
    """A number of bytes in GB, written as the paper's Table 1 writes it. 1 GB is 10**9 bytes.

    The paper keeps two decimals below 10 GB and one below 100 GB, rounded, halves upwards. From 100 GB on
    it cuts the decimals off.

    >>> paper_cell(41_250_000_000), paper_cell(1_875_000_000), paper_cell(513_500_000_000)
    ('41.3', '1.88', '513')
    """
    if count >= 100 * GB:
        return str(count // GB)
    step = GB // 10 if count >= 10 * GB else GB // 100
    rounded = (count + step // 2) // step * step
    return f"{rounded / GB:g}"


def main() -> None:
    """Print Table 1: one line for each number of devices, stages 1, 2 and 3 of each model."""
    from model_state_bytes import model_state_bytes

    models = {"7.5B": 75 * 10**8, "128B": 128 * GB, "1T": 1000 * GB}
    print("devices", *(f"{name:>20}" for name in models))
    for devices in (1, 4, 16, 64, 256, 1024):
        rows = (
            "/".join(paper_cell(model_state_bytes(parameters, stage, devices)) for stage in (1, 2, 3))
            for parameters in models.values()
        )
        print(f"{devices:7}", *(f"{row:>20}" for row in rows))


if __name__ == "__main__":
    main()
