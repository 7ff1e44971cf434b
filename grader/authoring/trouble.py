"""What can go wrong in a learner's function, as plain data and as the exception that a suite sees."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal

from grader.devices import errors as device_errors
from grader.results import Place, RankRow

Kind = Literal["raised", "import", "missing", "signature", "returned", "timeout", "died", "flood", "protocol"]

TEXT_LIMIT = 2000
NAME_LIMIT = 100
BASES_LIMIT = 50
# Bases that pytest.raises in a suite may ask for.
BASES = frozenset(
    {
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "ImportError",
        "IndexError",
        "KeyError",
        "LookupError",
        "MemoryError",
        "NameError",
        "NotImplementedError",
        "OverflowError",
        "RecursionError",
        "RuntimeError",
        "TypeError",
        "ValueError",
        "ZeroDivisionError",
    }
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that went wrong in a learner's function.

    ``type`` and ``text`` are those of an exception; ``bases`` its class and base classes by name, nearest first.
    ``used`` is how much was used of what ran out.
    """

    kind: Kind
    function: str
    text: str
    type: str = ""
    bases: tuple[str, ...] = ()
    rank: int | None = None
    where: Place | None = None
    rows: tuple[RankRow, ...] = ()
    used: str = ""


class StudentError(Exception):
    """The learner's function did not return a value. ``trouble`` says why.

    ``pytest.raises(ValueError)`` catches it where the function raised a ValueError, and so for the other builtins
    and the errors of the devices.
    """

    def __init__(self, trouble: Trouble) -> None:
        # Not super(): beside this class stands whatever the learner's code raised.
        Exception.__init__(self, trouble.text)
        self.trouble = trouble

    def __str__(self) -> str:
        return self.trouble.text


def student_error(trouble: Trouble) -> StudentError:
    """The exception for a trouble.

    >>> error = student_error(Trouble("raised", "fits", "bad stage", "ValueError", ("ValueError", "Exception")))
    >>> isinstance(error, ValueError), str(error)
    (True, 'bad stage')
    """
    for name in trouble.bases:
        base: Any = getattr(builtins, name) if name in BASES else getattr(device_errors, name, None)
        if isinstance(base, type) and issubclass(base, Exception):
            made: StudentError = type(name, (StudentError, base), {})(trouble)
            return made
    return StudentError(trouble)


def describe(
    error: BaseException, function: str, kind: Kind, learner_file: Callable[[str], bool], rank: int | None = None
) -> Trouble:
    """An exception out of the learner's code, without trusting any of its methods.

    >>> class Liar(Exception):
    ...     def __str__(self):
    ...         raise SystemExit
    >>> describe(Liar(), "shard", "raised", str.isidentifier).text
    '(its text could not be read)'
    """
    try:
        return _describe(error, function, kind, learner_file, rank)
    except BaseException:
        return Trouble(kind, function, "(the error cannot be described)", _name(type(error)), ("Exception",), rank)


def _describe(
    error: BaseException, function: str, kind: Kind, learner_file: Callable[[str], bool], rank: int | None
) -> Trouble:
    own = type(error)
    rows: Sequence[device_errors.Waiting] = ()
    if issubclass(own, device_errors.DeviceError):
        rank = error.rank if error.rank is not None else rank  # type: ignore[attr-defined]
        text = error.message  # type: ignore[attr-defined]
        if own in (device_errors.HangError, device_errors.MismatchError):
            rows = error.rows  # type: ignore[attr-defined]
    elif issubclass(own, SyntaxError):
        text = str(error.msg)  # type: ignore[attr-defined]
    else:
        try:
            text = str(error)
        except BaseException:
            text = "(its text could not be read)"
    text = text if type(text) is str else ""
    if len(text) > TEXT_LIMIT:
        text = f"{text[:TEXT_LIMIT]} ... {len(text) - TEXT_LIMIT} more characters left out"
    return Trouble(
        kind,
        function,
        text,
        _name(own),
        tuple(_name(base) for base in _bases(own) if base not in (BaseException, object)),
        rank,
        _place(error, learner_file),
        tuple(
            RankRow(row.rank, f"{row.operation} {row.options}".rstrip(), row.shape, row.dtype, place_of(row.where))
            for row in rows
        ),
    )


def _name(kind: type) -> str:
    """The name of a class, whatever its metaclass says."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name[:NAME_LIMIT]


def _bases(kind: type) -> tuple[type, ...]:
    bases: tuple[type, ...] = type.__dict__["__mro__"].__get__(kind)
    return bases[:BASES_LIMIT]


def place_of(where: device_errors.Where | None) -> Place | None:
    """A place of the devices as a place of a report."""
    return Place(where.file, where.line) if where is not None and where.line else None


def _place(error: BaseException, learner_file: Callable[[str], bool]) -> Place | None:
    if isinstance(error, SyntaxError) and error.filename and learner_file(error.filename):
        return Place(error.filename, error.lineno or 1)
    found = None
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if learner_file(name):
            found = Place(name, trace.tb_lineno)
        trace = trace.tb_next
    if found is None and isinstance(error, device_errors.DeviceError):
        found = place_of(error.where)
    return found
