"""Strict YAML: types as written, a place for everything, nothing ambiguous let through."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from grader.course.yaml import YamlError, parse


@pytest.mark.parametrize(
    "text",
    ["no", "on", "yes", "off", "y", "10:30", "010", "2026-11-30", "1_000", "0b1", "1.2.3", "=", "9" * 5000],
)
def test_what_yaml_1_1_would_change_stays_as_written(text: str) -> None:
    assert parse(f"key: {text}").data == {"key": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("0x1f", 31),
        ("0o17", 15),
        ("1.50", Decimal("1.50")),
        ("1e3", Decimal(1000)),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'12'", "12"),
        ('"null"', "null"),
        ("[]", []),
        ("{}", {}),
    ],
)
def test_core_schema_types(text: str, value: Any) -> None:
    found = parse(f"key: {text}").data["key"]
    assert (found, type(found)) == (value, type(value))


def test_decimals_keep_their_digits() -> None:
    assert str(parse("key: 0.10").data["key"]) == "0.10"


def test_every_value_and_key_has_its_place() -> None:
    document = parse("a: 1\nb:\n  - x\n  - {c: y}\n")
    assert document.data == {"a": 1, "b": ["x", {"c": "y"}]}
    assert document.values["a",] == (1, 4)
    assert document.values["b", 1, "c"] == (4, 9)
    assert document.keys["b", 1, "c"] == (4, 6)


def test_a_byte_order_mark_and_nothing_at_all() -> None:
    assert parse("\ufeffa: 1").data == {"a": 1}
    assert parse("# only a comment\n").data is None


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("title: Sharding: part two", 1, 16, "put the value in quotes"),
        ("title: `shard`", 1, 8, "put it in quotes"),
        ("a: 1\na: 2", 2, 1, "`a` is given twice, first in line 1"),
        ("a: {b: 1, b: 2}", 1, 11, "`b` is given twice"),
        ("a: &x 1", 1, 4, "an anchor (&x)"),
        ("a: *x", 1, 4, "an alias (*x)"),
        ("a: !!str 1", 1, 4, "a tag"),
        ("a: !point 1", 1, 4, "a tag (!point)"),
        ("? [a]\n: b", 1, 3, "a key must be text"),
        ("a:\n\t- b", 2, 1, "a tab: indent with spaces"),
        ("--- 1\n--- 2", 2, 1, "a second document"),
        ("a: .inf", 1, 4, "put it in quotes"),
        ("a: \x07", 1, 4, "U+0007"),
        ("a: \ud800", 1, 4, "U+D800"),
        ("a: [1, 2", 2, 1, "did not find expected ',' or ']'"),
    ],
)
def test_what_is_refused_has_a_place_and_a_remedy(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(YamlError) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert message in caught.value.message


@pytest.mark.parametrize("depth", [60, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    with pytest.raises(YamlError, match="nest"):
        parse("[" * depth + "]" * depth)
