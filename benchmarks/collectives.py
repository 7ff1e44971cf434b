"""What 50 collectives cost on many ranks, against NumPy moving the same data with no cluster around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from timing import in_turn, print_table, scaled, timed

from grader.devices import Cluster

CALLS = 50
WORLD_SIZES = (64, 1024)
PIECE = 4
REPEATS = 7


def all_gather(group: Any) -> None:
    piece = group.device.zeros(PIECE)
    whole = group.device.zeros(PIECE * group.size)
    for _ in range(CALLS):
        group.all_gather_into_tensor(whole, piece)


def reduce_scatter(group: Any) -> None:
    whole = group.device.zeros(PIECE * group.size)
    piece = group.device.zeros(PIECE)
    for _ in range(CALLS):
        group.reduce_scatter_tensor(piece, whole)


def all_reduce(group: Any) -> None:
    x = group.device.zeros(PIECE)
    for _ in range(CALLS):
        group.all_reduce(x)


def broadcast(group: Any) -> None:
    x = group.device.zeros(PIECE)
    for _ in range(CALLS):
        group.broadcast(x, src=0)


def barrier(group: Any) -> None:
    for _ in range(CALLS):
        group.barrier()


def plain_all_gather(ranks: int) -> None:
    pieces, wholes = np.zeros((ranks, PIECE)), np.zeros((ranks, ranks * PIECE))
    for _ in range(CALLS):
        wholes[...] = pieces.reshape(-1)


def plain_reduce_scatter(ranks: int) -> None:
    wholes, pieces = np.zeros((ranks, ranks * PIECE)), np.zeros((ranks, PIECE))
    for _ in range(CALLS):
        pieces[...] = wholes.sum(axis=0).reshape(ranks, PIECE)


def plain_all_reduce(ranks: int) -> None:
    x = np.zeros((ranks, PIECE))
    for _ in range(CALLS):
        x[...] = x.sum(axis=0)


def plain_broadcast(ranks: int) -> None:
    x = np.zeros((ranks, PIECE))
    for _ in range(CALLS):
        x[...] = x[0].copy()


CASES: dict[str, tuple[Callable[[Any], None], Callable[[int], None] | None]] = {
    "all_gather_into_tensor": (all_gather, plain_all_gather),
    "reduce_scatter_tensor": (reduce_scatter, plain_reduce_scatter),
    "all_reduce": (all_reduce, plain_all_reduce),
    "broadcast": (broadcast, plain_broadcast),
    "barrier": (barrier, None),
}


def measure(ranks: int, body: Callable[[Any], None], plain: Callable[[int], None] | None) -> dict[str, float]:
    def run() -> None:
        cluster = Cluster(ranks)
        cluster.run(body, cluster.world)

    runs = {"cluster": timed(run)}
    if plain is not None:
        runs["plain"] = timed(lambda: plain(ranks))
    return in_turn(runs, REPEATS)


def main() -> None:
    rows = []
    for name, (body, plain) in CASES.items():
        for ranks in WORLD_SIZES:
            seconds = measure(ranks, body, plain)
            whole = seconds["cluster"]
            alone = scaled(seconds["plain"]) if plain else ""
            rows.append([name, f"{ranks:,}", scaled(whole), scaled(whole / CALLS / ranks), alone])
    header = ["collective", "ranks", "in all", "a rank's call", "NumPy alone, in all"]
    print_table(f"{CALLS} collectives of {PIECE} float64 a rank, median of {REPEATS}", header, rows)


if __name__ == "__main__":
    main()
