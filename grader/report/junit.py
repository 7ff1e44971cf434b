"""The report as JUnit's XML, which Jenkins, GitLab and others read: a suite per function, a test case per criterion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from grader.report import Options, _words
from grader.report.text import explanation
from grader.results import Criterion, Grade, Status

_KINDS: Mapping[Status, str] = {
    "failed": "failure",
    "timeout": "failure",
    "error": "error",
    "blocked": "skipped",
    "todo": "skipped",
}
# What XML 1.0 cannot hold, however it is written.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DEFAULT = Options()


def render(grade: Grade, options: Options = _DEFAULT) -> str:
    """Render ``grade``. What makes it less than the whole is a test case that was skipped, so that it is not missed."""
    suites = [_suite(function.name, _criteria(grade, function.name)) for function in grade.functions]
    left_out = [_case(grade.exercise, sentence, "skipped") for sentence in _words.left_out(grade)]
    if left_out:
        suites.append(_suite("not all", left_out))
    root = _element("testsuites", name=f"{grade.exercise}: {_words.score(grade)}", **_counts(suites))
    root.extend(suites)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, "unicode")}\n'


def _criteria(grade: Grade, function: str) -> list[Element]:
    criteria = [criterion for criterion in grade.criteria if criterion.function == function]
    return [_criterion(criterion, f"{grade.exercise}.{function}") for criterion in criteria]


def _criterion(criterion: Criterion, function: str) -> Element:
    kind = _KINDS.get(criterion.status)
    case = _case(function, f"{criterion.id}: {criterion.title}", kind, criterion.seconds)
    for result in case:
        result.attrib |= {"type": criterion.status, "message": _text(_words.brief(criterion))}
        if criterion.status in _words.PROBLEMS:
            result.text = _text(explanation(criterion))
    return case


def _case(group: str, name: str, kind: str | None, seconds: float = 0.0) -> Element:
    case = _element("testcase", classname=group, name=name, time=f"{seconds:.3f}")
    if kind is not None:
        SubElement(case, kind)
    return case


def _suite(name: str, cases: Sequence[Element]) -> Element:
    suite = _element("testsuite", name=name)
    suite.extend(cases)
    suite.attrib |= {**_counts([suite]), "skipped": _count([suite], "skipped")}
    return suite


def _counts(suites: Sequence[Element]) -> dict[str, str]:
    cases = [case for suite in suites for case in suite]
    seconds = sum(float(case.attrib["time"]) for case in cases)
    return {
        "tests": str(len(cases)),
        "failures": _count(suites, "failure"),
        "errors": _count(suites, "error"),
        "time": f"{seconds:.3f}",
    }


def _count(suites: Sequence[Element], kind: str) -> str:
    return str(sum(1 for suite in suites for _ in suite.iter(kind)))


def _element(tag: str, **attributes: str) -> Element:
    return Element(tag, {name: _text(value) for name, value in attributes.items()})


def _text(text: str) -> str:
    return _NO_XML.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
