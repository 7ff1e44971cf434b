"""The days of a year."""

from leap import is_leap


def days_in(year: int, *, julian: bool = False) -> int:
    return 365 + (year % 4 == 0 if julian else is_leap(year))
