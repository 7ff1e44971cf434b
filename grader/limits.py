"""What a submission may use: limits that a manifest sets and a worker is held to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a submission may use.

    Of one call, all ranks together: ``seconds`` of processor time, ``wall_seconds`` of the clock (twice as many if
    nothing is said), which count where the code waits or the machine is busy. ``total_seconds`` of the clock are for
    all calls of one part of the grading. The others hold for the process that the code runs in: its address space,
    its threads, what it may have open, the size of a file, and how much of what is printed in a test case is kept.
    """

    seconds: float = 5
    wall_seconds: float = 10
    total_seconds: float = 120
    memory_mb: int = 1024
    processes: int = 32
    open_files: int = 64
    file_kb: int = 1024
    output_kb: int = 64
