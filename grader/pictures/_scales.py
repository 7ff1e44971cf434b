"""Axes and their units: round numbers, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context

_BYTES = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")
_SECONDS = ("s", "ms", "µs", "ns")


def ticks(top: float, most: int = 5) -> list[float]:
    """Round numbers from 0 to ``top``, at most ``most`` above 0.

    >>> ticks(35_840)
    [0, 10000, 20000, 30000]
    """
    if top <= 0:
        return [0]
    power = 10.0 ** math.floor(math.log10(top / most))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power * most >= top * (1 - 1e-9))
    return [_plain(count * step) for count in range(math.floor(top / step * (1 + 1e-9)) + 1)]


def powers(low: float, high: float) -> list[float]:
    """The powers of ten from ``low`` to ``high``.

    >>> powers(3, 2000)
    [10, 100, 1000]
    """
    return [_plain(10.0**power) for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


def _plain(value: float) -> float:
    """A float that is whole, but for the last digits, as an integer."""
    return round(value) if math.isclose(value, round(value), rel_tol=1e-9) else value


def in_bytes(count: float) -> str:
    """Bytes to three digits, in powers of 1,000; a half goes up.

    >>> in_bytes(640), in_bytes(35_840), in_bytes(41.25e9)
    ('640 bytes', '35.8 kB', '41.3 GB')
    """
    return _scaled(count, _BYTES)


def exactly(count: int, most: int) -> str:
    """Bytes to the last one, unless the ``most`` beside which they stand are too many to be read so.

    >>> exactly(35_840, 35_840), exactly(35_840, 80 * 10**9)
    ('35,840 bytes', '35.8 kB')
    """
    return f"{count:,} bytes" if most < 10**7 else in_bytes(count)


def on_axis(count: float) -> str:
    """Bytes as short as an axis needs them.

    >>> on_axis(500), on_axis(2000)
    ('500 B', '2 kB')
    """
    return in_bytes(count).replace("bytes", "B")


def in_seconds(seconds: float) -> str:
    """Seconds to three digits.

    >>> in_seconds(2), in_seconds(0.0125)
    ('2 s', '12.5 ms')
    """
    if seconds >= 1 or seconds <= 0:
        return f"{_digits(seconds)} s"
    place = min(math.ceil(-math.log10(seconds) / 3 - 1e-12), len(_SECONDS) - 1)
    return f"{_digits(seconds * 1000**place)} {_SECONDS[place]}"


def _scaled(value: float, units: Sequence[str]) -> str:
    place = 0
    # What rounds to 1,000 is 1 of the next unit.
    while _rounded(value) >= 1000 and place < len(units) - 1:
        value, place = value / 1000, place + 1
    return f"{_digits(value)} {units[place]}"


def _digits(value: float) -> str:
    return f"{_rounded(value):,.10g}"


def _rounded(value: float) -> float:
    return float(Context(prec=3, rounding=ROUND_HALF_UP).create_decimal_from_float(value))
