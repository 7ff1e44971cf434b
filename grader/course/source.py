"""A YAML file of the course: read, and held against its schema."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from grader.course import yaml
from grader.course.errors import CourseError
from grader.course.page import Text

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

SCHEMAS = Path(__file__).parent / "schemas"
SHOWN = 40
QUOTES_HELP = "; in quotes it is text"
SPECIAL = "cannot be read: it is a pipe or a device"
Made = TypeVar("Made")

# What making something of data of the wrong shape can raise.
_MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Source:
    """A YAML file with its data and positions."""

    file: Path
    document: yaml.Document

    @classmethod
    def read(cls, file: Path) -> Source:
        """Read and parse ``file``."""
        if is_special(file):
            raise CourseError(SPECIAL, file)
        try:
            content = file.read_bytes()
        except OSError as error:
            raise CourseError(f"cannot be read: {error.strerror}", file) from None
        try:
            return cls(file, yaml.parse(Text.decode(content, file).content))
        except yaml.YamlError as error:
            raise CourseError(error.message, file, error.line, error.column) from None

    def error(self, message: str, path: yaml.Path = ()) -> CourseError:
        """Give the error ``message`` at the value at ``path``, to be raised."""
        return CourseError(message, self.file, *self.document.values.get(path, (1, 1)))

    def build(self, schema: str, make: Callable[[dict[str, Any]], Made], *, check: bool) -> Made:
        """Make something of the data, held against ``schemas/<schema>.json`` first.

        ``check=False`` leaves the schema out unless ``make`` stumbles, because the schema costs an import of a
        tenth of a second: who starts a grader first and checks meanwhile has it for nothing.
        """
        if check:
            self.check(schema)
        try:
            return make(self.document.data)
        except _MALFORMED:
            self.check(schema)
            raise

    def check(self, schema: str) -> None:
        """Raise the first thing, in the order of the file, that breaks ``schemas/<schema>.json``."""
        for problem in self.problems(schema):
            raise problem

    def problems(self, schema: str) -> list[CourseError]:
        """Everything that breaks ``schemas/<schema>.json``, in the order of the file."""
        errors = _validator(schema).iter_errors(self.document.data)
        problems = [problem for error in errors for problem in self._explain(error)]
        return sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))

    def _explain(self, error: ValidationError) -> Iterator[CourseError]:
        path = tuple(error.absolute_path)
        schema: dict[str, Any] = error.schema  # type: ignore[assignment]  # no schema of ours is a bare true
        known: dict[str, Any] = schema.get("properties", {})
        match error.validator:
            case "additionalProperties":
                for key in _unknown(error.instance, schema):
                    position = self.document.keys[(*path, key)]
                    yield CourseError(_unknown_key(key, schema), self.file, *position)
            case "required":
                # The library reports one error for each missing key and names it in the message only.
                key = next(key for key in known if error.message.startswith(repr(key)))
                if not any(_near(other, known) == key for other in _unknown(error.instance, schema)):
                    yield self.error(f"`{key}` is missing: {known[key]['description']}", path)
            case _:
                expected = schema.get("description", error.message)
                got = _show(error.instance) + _as_other(error.instance, schema)
                yield self.error(f"{_name(path)} must be {expected}; got {got}", path)


def is_special(file: Path) -> bool:
    """Whether what a path leads to is a pipe, a socket or a device: reading it might wait for ever."""
    return file.exists() and not file.is_file() and not file.is_dir()


@cache
def _validator(schema: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads((SCHEMAS / f"{schema}.json").read_text("utf-8")))


def _unknown(instance: Any, schema: dict[str, Any]) -> list[str]:
    known, free = schema.get("properties", {}), "patternProperties" in schema
    return [key for key in instance if key not in known and not (free and key.startswith("x-"))]


def _unknown_key(key: str, schema: dict[str, Any]) -> str:
    known = schema["properties"]
    near = _near(key, known)
    if near is not None:
        return f"unknown key `{key}`: did you mean `{near}`?"
    free = ", and any that begins with x-" if "patternProperties" in schema else ""
    return f"unknown key `{key}`: known are {', '.join(known)}{free}"


def _near(key: str, known: dict[str, Any]) -> str | None:
    return next(iter(difflib.get_close_matches(key, known, 1, 0.7)), None)


def _name(path: yaml.Path) -> str:
    match path:
        case (*_, str(key), int(index)):
            return f"item {index + 1} of `{key}`"
        case (*_, str(key)):
            return f"`{key}`"
        case _:
            return "the file"


def _show(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case str():
            return f'the text "{value}"' if len(value) <= SHOWN else f'{len(value)} characters, "{value[:SHOWN]}…"'
        case list():
            return f"a list of {len(value)}"
        case dict():
            return f"keys and values ({', '.join(value)})"
        case _:
            return f"the number {value}"


def _as_other(value: Any, schema: dict[str, Any]) -> str:
    """What quotes, or their absence, would make of a value of the wrong type."""
    wanted = schema.get("type")
    if wanted == "string" and isinstance(value, bool | int | Decimal):
        return QUOTES_HELP
    if wanted == "integer" and isinstance(value, str) and value.isdecimal():
        return f"; {int(value)} without quotes is a number"
    return ""
