"""How a suite states a criterion, and how it says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from grader.results import Detail, Place, Visibility

Test = TypeVar("Test", bound=Callable[..., Any])
ATTRIBUTE = "__criterion__"


@dataclass(frozen=True, slots=True)
class Terms:
    """What stands on a criterion: its function, points, title, what it needs, and the hint when it fails."""

    function: str
    points: Decimal
    title: str
    needs: tuple[str, ...] = ()
    hint: str | None = None
    visibility: Visibility = "visible"


def criterion(
    function: str,
    *,
    points: int | float | str,
    title: str,
    needs: tuple[str, ...] | list[str] = (),
    hint: str | None = None,
    visibility: Visibility = "visible",
) -> Callable[[Test], Test]:
    """Make a test function a criterion of ``function``.

    Its id is the function's name and the test's: ``test_uneven`` for ``shard`` is ``shard-uneven``. It is earned when
    every parameter set passes. ``needs`` lists ids of criteria without which it is not worth trying; it is then
    blocked, not failed.

    >>> @criterion("shard", points=3, title="keeps every element")
    ... def test_even(student): ...
    >>> test_even.__criterion__.points
    Decimal('3')
    """

    def mark(test: Test) -> Test:
        terms = Terms(function, Decimal(str(points)), title, tuple(needs), hint, visibility)
        setattr(test, ATTRIBUTE, terms)
        return test

    return mark


def criterion_id(function: str, test_name: str) -> str:
    """The id of a criterion.

    >>> criterion_id("shard", "test_uneven_rows")
    'shard-uneven-rows'
    """
    return f"{function}-{test_name.removeprefix('test_').replace('_', '-')}"


class Failed(AssertionError):
    """The learner's code does not keep a promise. Everything but the message is optional.

    ``message`` is one sentence about the property that broke, without values: it is all that a hidden criterion
    shows. ``expected`` and ``actual`` are short texts, ``detail`` a table, a memory trace or a difference.
    """

    def __init__(
        self,
        message: str,
        *,
        call: str | None = None,
        world_size: int | None = None,
        rank: int | None = None,
        expected: str | None = None,
        actual: str | None = None,
        detail: Detail | None = None,
        where: Place | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.call = call
        self.world_size = world_size
        self.rank = rank
        self.expected = expected
        self.actual = actual
        self.detail = detail
        self.where = where
        self.hint = hint
