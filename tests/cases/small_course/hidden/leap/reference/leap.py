"""The rule for leap years."""


def is_leap(year: int) -> bool:
    """Whether ``year`` of the Gregorian calendar has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
