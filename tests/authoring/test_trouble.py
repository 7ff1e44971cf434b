"""What is said of an exception whose methods lie."""

from __future__ import annotations

from typing import Any

import pytest

from grader.authoring.trouble import describe
from grader.devices.errors import DeviceError, HangError


class LyingClass(type):
    @property
    def __mro__(cls) -> Any:
        raise RuntimeError

    @property
    def __name__(cls) -> Any:
        return 7


class LiesAboutItsClass(Exception, metaclass=LyingClass):
    pass


class LiesAboutItsKind(ValueError):
    @property
    def __class__(self) -> Any:
        return DeviceError


class LiesAboutItsText(ValueError):
    def __str__(self) -> Any:
        return 7


class LiesAboutItsTrace(ValueError):
    @property
    def __traceback__(self) -> Any:
        return 7


class HasNoMessage(DeviceError):
    def __init__(self) -> None:
        pass


class HasNoRows(HangError):
    def __init__(self) -> None:
        self.rows = self.message = 7  # type: ignore[assignment]


LONG = type("L" * 10**6, (Exception,), {})


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (LiesAboutItsClass, "LiesAboutItsClass"),
        (LiesAboutItsKind, "LiesAboutItsKind"),
        (LiesAboutItsText, "LiesAboutItsText"),
        (LiesAboutItsTrace, "LiesAboutItsTrace"),
        (HasNoMessage, "HasNoMessage"),
        (HasNoRows, "HasNoRows"),
        (LONG, "L" * 100),
    ],
    ids=range(7),
)
def test_an_exception_that_lies_is_described_all_the_same(kind: type[BaseException], name: str) -> None:
    trouble = describe(kind(), "shard", "raised", str.isidentifier)
    assert (trouble.kind, trouble.function, trouble.type) == ("raised", "shard", name)
    assert type(trouble.text) is str
