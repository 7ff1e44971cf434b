"""The issue forms of a course, in ``.github/ISSUE_TEMPLATE``, and the link that fills one in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit

from grader.course import yaml
from grader.course.errors import CourseError
from grader.course.source import Source

if TYPE_CHECKING:
    from grader.course.library import Library

FOLDER = ".github/ISSUE_TEMPLATE"
CHOOSER = f"{FOLDER}/config.yml"
PLACE = "place"
HOLE = "{place}"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form. ``path`` leads to it in the data of the file."""

    type: Any
    id: Any
    label: Any
    path: yaml.Path


def read_forms(library: Library) -> Mapping[str, Source | CourseError]:
    """The forms by their paths, and what they say, or why one cannot be read; ``config.yml`` is among them."""
    found = (PurePosixPath(path) for path in sorted(library.paths))
    names = [str(path) for path in found if str(path.parent) == FOLDER and path.suffix in (".yml", ".yaml")]
    return {name: _read(library.root, name) for name in names if (library.root / name).is_file()}


def _read(root: Path, name: str) -> Source | CourseError:
    try:
        return Source(Path(name), Source.read(root / name).document)
    except CourseError as error:
        return CourseError(error.message, Path(name), error.line, error.column)


def fields(form: Source) -> Iterator[Field]:
    """The fields of a form, as far as they can be read."""
    data = form.document.data
    body = data.get("body") if isinstance(data, dict) else None
    for number, field in enumerate(body if isinstance(body, list) else []):
        if isinstance(field, dict):
            attributes = field.get("attributes")
            label = attributes.get("label") if isinstance(attributes, dict) else None
            yield Field(field.get("type"), field.get("id"), label, ("body", number))


def template_of(report: str) -> str | None:
    """The path of the form that the ``report:`` of a course opens.

    >>> template_of("https://example.org/issues/new?template=defect.yml&place={place}")
    '.github/ISSUE_TEMPLATE/defect.yml'
    """
    named = parse_qs(urlsplit(report).query).get("template")
    return None if named is None else f"{FOLDER}/{named[0]}"


def filled_in(report: str, place: str) -> str:
    """The address of the form with the place of a defect in it.

    >>> filled_in("https://example.org/issues/new?place={place}", "lesson10#bytes-7b")
    'https://example.org/issues/new?place=lesson10%23bytes-7b'
    """
    return report.replace(HOLE, quote(place, safe=""))
