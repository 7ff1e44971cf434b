"""The hidden suite of the exercise on leap years."""

import pytest

from grader.authoring import criterion


@criterion("is_leap", points=1, title="knows years between the centuries")
@pytest.mark.parametrize("year, leap", [(2023, False), (2024, True), (2026, False), (4, True)])
def test_years(student, year, leap):
    assert student.is_leap(year) is leap, "The rule begins with 4."


@criterion("is_leap", points=2, title="knows the centuries")
@pytest.mark.parametrize("year, leap", [(1900, False), (2000, True), (2100, False), (2400, True)])
def test_centuries(student, year, leap):
    assert student.is_leap(year) is leap, "Centuries are special."


@criterion("days_in", points=1, title="counts the days of both calendars")
@pytest.mark.parametrize("year, julian, days", [(2023, False, 365), (1900, False, 365), (1900, True, 366), (2024, True, 366)])
def test_days(student, year, julian, days):
    assert student.days_in(year, julian=julian) == days, "A leap day makes the difference."
