"""The days of a year."""


def days_in(year: int, *, julian: bool = False) -> int:
    """How many days ``year`` has, in the Gregorian calendar or in the Julian one."""
    # TODO: use what you have written.
    raise NotImplementedError
