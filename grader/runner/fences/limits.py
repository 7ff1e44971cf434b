"""The limits that fences hold a worker to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes of address space and of one written file, and how many processes, for one worker."""

    memory: int = 1024 * 2**20
    file_size: int = 2**20
    processes: int = 64
    open_files: int = 64
