"""What can go wrong on the simulated cluster. Each misuse is a class of its own and says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

MOST_LINES = 16  # of a table with a line for each rank


class Where(NamedTuple):
    """A line of the learner's code."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Waiting(NamedTuple):
    """What one rank was doing when ranks disagreed or none could go on.

    ``operation`` is the collective's name; "returned" if the rank's function was over, "did not call" outside of
    a run.
    """

    rank: int
    operation: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    options: str = ""
    where: Where | None = None


class DeviceError(Exception):
    """Base of all errors of the simulated cluster.

    ``rank`` and ``where`` are filled in by the cluster where the error did not know them.
    """

    rank: int | None = None
    where: Where | None = None

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __str__(self) -> str:
        at = [f"rank {self.rank}"] if self.rank is not None else []
        at += [str(self.where)] if self.where is not None else []
        return f"{self.message} ({', '.join(at)})" if at else self.message


class ShapeError(DeviceError):
    """Shapes that do not fit together."""


class DtypeError(DeviceError):
    """A dtype that the devices do not have, or dtypes that do not fit together."""


class UnsupportedError(DeviceError, TypeError):
    """A NumPy operation that the devices do not have. Names the nearest one that they have."""


class NoAttributeError(UnsupportedError, AttributeError):
    """An attribute of NumPy's arrays that arrays of devices do not have."""


class HostAccessError(DeviceError, TypeError):
    """An implicit copy between host and device. Name it: ``x.numpy()`` down, ``device.array(host)`` up."""


class WrongDeviceError(DeviceError):
    """Arrays of two devices in one operation, or an array of another rank's device."""


class UseAfterFreeError(DeviceError):
    """A use of an array whose storage was given back."""


class DoubleFreeError(DeviceError):
    """A second ``free()`` of one storage."""


class OutOfMemoryError(DeviceError, MemoryError):
    """An allocation beyond the device's capacity."""


class ComputeLimitError(DeviceError):
    """An operation of more floating-point operations than the cluster allows for one."""


class InFlightError(DeviceError):
    """A use of an array that an unfinished asynchronous operation still reads or writes."""


class UnwaitedError(DeviceError):
    """A ``Work`` that was dropped, or still open at the end, without ``wait()``."""


class GroupError(DeviceError):
    """A group used by a rank outside it, a rank that it does not have, or a group of another run."""


class NoDataError(DeviceError):
    """A value was asked of a cluster that keeps shapes only."""


class _TableError(DeviceError):
    """An error that shows what every rank was doing."""

    def __init__(self, message: str, rows: tuple[Waiting, ...]) -> None:
        super().__init__(message)
        self.rows = rows

    def __str__(self) -> str:
        return f"{self.message}\n{format_rows(self.rows)}"


class MismatchError(_TableError):
    """Ranks of one group called different operations, shapes, dtypes, reduce ops or roots.

    ``rank`` and ``where`` are those of the first rank that differs from most. ``rows`` has every rank of the group.
    """


class HangError(_TableError):
    """No rank can go on: each waits for another. ``rows`` has every rank; ``rank`` is None, it takes several."""


def format_rows(rows: Sequence[Waiting]) -> str:
    """The table of a hang or mismatch: a line per rank, or per run of ranks that do the same if there are many.

    >>> print(format_rows((Waiting(0, "all_reduce", (4,), "float32", "sum", Where("a.py", 3)),
    ...                    Waiting(1, "returned"))))
    rank  waits in        shape  dtype    line
    0     all_reduce sum  (4,)   float32  a.py:3
    1     returned        -      -        -
    """
    cells = [("rank", "waits in", "shape", "dtype", "line")]
    for same, run in groupby(rows, key=lambda row: row[1:] if len(rows) > MOST_LINES else row):
        ranks = [row.rank for row in run]
        row = Waiting(ranks[0], *same[-5:])
        cells.append(
            (
                str(row.rank) if len(ranks) == 1 else f"{row.rank}-{ranks[-1]}",
                f"{row.operation} {row.options}".rstrip(),
                "-" if row.shape is None else str(row.shape),
                row.dtype or "-",
                str(row.where or "-"),
            )
        )
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )
