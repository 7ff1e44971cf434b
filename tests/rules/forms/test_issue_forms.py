"""Issue forms: what GitHub takes is taken, what it refuses is refused, with the place."""

from __future__ import annotations

import json
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from grader.course import Course
from grader.course.form import CHOOSER, FOLDER, filled_in, template_of
from grader.course.library import Library
from grader.results import Finding
from grader.rules import rules

TESTS = Path(__file__).parents[2]
CASES = TESTS / "cases" / "forms"
SMALL = TESTS / "cases" / "small_course"
GOOD = sorted((CASES / "good").glob("*.yml"))
BAD = sorted((CASES / "bad").glob("*.yml"))
TAKEN = "GitHub's schema takes it"
SHAPE = ("form-schema", "form-unique", "form-words")
DEFECT = f"{FOLDER}/lesson-defect.yml"


def found(root: Path, *ids: str) -> list[Finding]:
    """What the rules about forms find, or those of ``ids``."""
    course = Course.read(root / "course.yml")
    library = Library(root, course)
    running = [rule for rule in rules().values() if rule.id in ids or (not ids and rule.id.startswith("form-"))]
    assert running
    return [finding for rule in running for finding in rule.check(library, library)]


def lines(findings: list[Finding]) -> list[str]:
    return [f"{each.line}:{each.column} {each.message}" for each in findings]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A course with the forms that each test gives it."""
    shutil.copy(SMALL / "course.yml", tmp_path)
    (tmp_path / FOLDER).mkdir(parents=True)
    return tmp_path


def github_takes(file: Path) -> bool:
    """What the schema says that other tools hold issue forms to."""
    vendored = files("check_jsonschema") / "builtin_schemas" / "vendor" / "github-issue-forms.json"
    schema: Any = json.loads(vendored.read_text("utf-8"))
    try:
        form = yaml.safe_load(file.read_text("utf-8"))
    except yaml.YAMLError:
        return False
    return jsonschema.Draft7Validator(schema).is_valid(form)


@pytest.mark.parametrize("file", GOOD, ids=lambda file: file.stem)
def test_what_github_takes_is_taken(file: Path, root: Path) -> None:
    shutil.copy(file, root / FOLDER)
    assert github_takes(file)
    assert found(root, *SHAPE) == []


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_what_github_refuses_is_found_at_its_place(file: Path, root: Path) -> None:
    shutil.copy(file, root / FOLDER)
    *expected, last = file.with_suffix(".txt").read_text("utf-8").splitlines()
    expected += [] if last == TAKEN else [last]
    findings = found(root, *SHAPE)
    assert lines(findings) == expected
    assert {each.path for each in findings} == {f"{FOLDER}/{file.name}"}


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_nothing_is_refused_that_github_takes_but_for_what_no_schema_sees(file: Path) -> None:
    if file.stem != "twice":  # PyYAML lets the last one win.
        assert github_takes(file) == (TAKEN in file.with_suffix(".txt").read_text("utf-8"))


def test_the_chooser_has_keys_of_its_own(root: Path) -> None:
    (root / CHOOSER).write_text(
        "blank_issues_enabled: no\ncontact_links:\n  - {name: Us, url: example.org, about: We.}\n"
    )
    assert lines(found(root, *SHAPE)) == [
        '1:23 `blank_issues_enabled` must be true or false; got the text "no"',
        '3:21 `url` must be an address (https://…); got the text "example.org"',
    ]


def test_what_cannot_be_read_is_found(root: Path) -> None:
    (root / DEFECT).write_bytes(b"name: caf\xe9\n")
    message = "byte 0xE9 is not UTF-8: save the file as UTF-8"
    assert [(each.path, each.message) for each in found(root)] == [(DEFECT, message)]


FORM = "name: A\ndescription: B\nbody:\n"
DROPDOWN = "  - {type: dropdown, id: place, attributes: {label: Place, options: [lesson1]}}\n"
INPUT = "  - {type: input, id: place, attributes: {label: Place}}\n"
OTHER = "  - {type: input, id: where, attributes: {label: Where}}\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (INPUT, []),
        (OTHER + INPUT, []),
        (INPUT + OTHER, []),
        (DROPDOWN, ["4:5 the field `place` is of type dropdown, which a link cannot fill in"]),
        (OTHER, ["1:1 there is no field `place`, which the link of `report:` fills in"]),
        ("", ["1:1 there is no field `place`, which the link of `report:` fills in"]),
    ],
)
def test_the_place_is_an_input(body: str, expected: list[str], root: Path) -> None:
    (root / DEFECT).write_text(FORM + body)
    (root / FOLDER / "other.yml").write_text(FORM + OTHER)
    assert lines(found(root, "form-place")) == expected


def test_the_form_that_report_names_is_there(root: Path) -> None:
    message = "`report:` opens the form lesson-defect.yml, which is not there"
    assert lines(found(root)) == [f"7:9 {message}; there are none yet"]
    (root / FOLDER / "lesson_defect.yml").write_text(FORM + INPUT)
    (root / CHOOSER).write_text("blank_issues_enabled: true\n")
    assert lines(found(root)) == [f"7:9 {message}: did you mean `lesson_defect.yml`?"]
    (root / DEFECT).write_text(FORM + INPUT)
    assert found(root) == []


@pytest.mark.parametrize("report", ["", "report: https://example.org/tracker?place={place}\n"])
def test_a_tracker_without_forms_needs_none(report: str, root: Path) -> None:
    (root / "course.yml").write_text(f"schema: 1\ntitle: A\ndescription: B\n{report}")
    assert found(root) == []


def test_the_place_is_encoded() -> None:
    report = "https://example.org/new?template=a.yml&place={place}"
    assert filled_in(report, "lesson1#größe & mehr") == (
        "https://example.org/new?template=a.yml&place=lesson1%23gr%C3%B6%C3%9Fe%20%26%20mehr"
    )
    assert template_of(report) == f"{FOLDER}/a.yml"
    assert template_of("https://example.org/new") is None
