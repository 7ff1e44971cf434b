"""The rule for leap years."""


def is_leap(year: int) -> bool:
    """Whether ``year`` of the Gregorian calendar has 366 days."""
    # TODO: write the rule.
    raise NotImplementedError
