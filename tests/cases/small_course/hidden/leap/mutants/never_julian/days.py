# caught by: days_in-days
# defect: Counts by the Gregorian rule whatever is asked.

from leap import is_leap


def days_in(year: int, *, julian: bool = False) -> int:
    return 365 + is_leap(year)
