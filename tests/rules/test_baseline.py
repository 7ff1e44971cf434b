"""A baseline knows findings by what they are about, wherever it moves, and says which are gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.results import Check, Finding
from grader.rules.baseline import Entry, baseline_of, dump, gone, not_judged, parse, without


def finding(path: str, line: int, rule: str = "link") -> Finding:
    return Finding(rule, "error", path, line, 1, line, 2, f"line {line}")


def check(**lines: list[str]) -> Check:
    """A finding for each line of each file that is not empty."""
    places = [(f"{name}.md", number, line) for name, all in lines.items() for number, line in enumerate(all, 1) if line]
    findings = tuple(finding(path, number) for path, number, _ in places)
    return Check(findings, len(lines), ("link",), {(path, number): line for path, number, line in places})


def test_what_is_known_is_left_out_wherever_it_moves() -> None:
    known = baseline_of(check(a=["one", "two"]))
    assert without(check(a=["", "  two ", "", "one"]), known).findings == ()
    assert [each.line for each in without(check(a=["new", "one"]), known).findings] == [1]


def test_what_is_there_once_more_is_new() -> None:
    known = baseline_of(check(a=["one", "one"]))
    assert [each.line for each in without(check(a=["one"] * 3), known).findings] == [3]


def test_what_is_gone_is_said_as_far_as_it_was_looked_for() -> None:
    known = baseline_of(check(a=["one", "two", "two"], b=["three"]))
    now = check(a=["two"])
    assert gone(now, known, None) == {
        Entry("a.md", "link", "one"): 1,
        Entry("a.md", "link", "two"): 1,
        Entry("b.md", "link", "three"): 1,
    }
    assert gone(now, known, {"b.md"}) == {Entry("b.md", "link", "three"): 1}
    assert not_judged(now, known, {"a.md"}) == {Entry("b.md", "link", "three"): 1}
    other = Check((), 1, ("other",), {})
    assert gone(other, known, None) == {}
    assert not_judged(other, known, None) == known


@given(lines=st.lists(st.text(max_size=5), max_size=5))
def test_a_baseline_comes_back_as_it_was(lines: list[str]) -> None:
    known = baseline_of(check(a=lines))
    assert parse(dump(known)) == known


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "null", '{"format": 2, "findings": []}', '{"format": 1}', '{"format": 1, "findings": [1]}',
        '{"format": 1, "findings": [{"path": "a", "rule": "b"}]}',
        '{"format": 1, "findings": [{"path": "a", "rule": "b", "line": "c", "count": 0}]}',
    ],
)  # fmt: skip
def test_what_is_no_baseline_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"baseline|finding 1|Expecting"):
        parse(text)
