"""An exercise: its manifest ``exercise.yml`` as frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from grader.course.source import Source
from grader.limits import Limits

MANIFEST = "exercise.yml"
PRISTINE = ".pristine"
NOT_READ = ("mutants", "__pycache__")
ELSEWHERE = "elsewhere.yml"
DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Part:
    """So many criteria, and their points."""

    criteria: int = 0
    points: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """A function to write. ``line`` is where the manifest names it; ``elsewhere`` what is not graded here."""

    name: str
    file: str
    points: Decimal
    summary: str
    hints: tuple[str, ...]
    line: int
    elsewhere: Part = Part()

    @property
    def points_here(self) -> Decimal:
        return self.points - self.elsewhere.points


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise. ``suite`` is the folder of its suite, if there is one here.

    In the learners' ``edition`` that is the visible part of the suite, without a reference or mutants.
    """

    id: str
    title: str
    lesson: str
    summary: str
    folder: Path
    manifest: Path
    suite: Path | None
    world_sizes: tuple[int, ...]
    imports: tuple[str, ...]
    given: tuple[str, ...]
    limits: Limits
    functions: tuple[FunctionSpec, ...]
    edition: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that a learner writes, each once, in the order of the functions."""
        return tuple(dict.fromkeys(function.file for function in self.functions))

    @property
    def points(self) -> Decimal:
        return sum((function.points for function in self.functions), Decimal(0))

    def suite_files(self) -> dict[str, Path]:
        """What grading may read of the suite, by path in it: neither mutants nor what programs leave behind."""
        if self.suite is None:
            return {}
        found = {path.relative_to(self.suite): path for path in sorted(self.suite.rglob("*")) if path.is_file()}
        return {
            inside.as_posix(): path
            for inside, path in found.items()
            if not any(part in NOT_READ or part.startswith(".") for part in inside.parts)
        }

    def pristine(self, file: str) -> Path:
        """The untouched copy of one of ``files``."""
        return self.folder / PRISTINE / file


def read_exercise(folder: Path, suites: Path | None, *, check: bool = True) -> Exercise:
    """Read the manifest in ``folder``; with ``check=False``, as ``Source.build`` says, for who checks later."""
    source = Source.read(folder / MANIFEST)
    exercise = source.build("exercise", lambda data: _make(data, folder, suites, source), check=check)
    _check_names(exercise, source)
    file = None if exercise.suite is None else exercise.suite / ELSEWHERE
    return exercise if file is None or not file.exists() else _with_elsewhere(exercise, file, check=check)


def _with_elsewhere(exercise: Exercise, file: Path, *, check: bool) -> Exercise:
    """The exercise with what ``file`` says is graded elsewhere."""
    source = Source.read(file)
    parts = source.build("elsewhere", _parts, check=check)
    known = {function.name: function for function in exercise.functions}
    for name, part in parts.items():
        if name not in known or part.points > known[name].points:
            most = f"has {known[name].points} points" if name in known else "has no such function"
            raise source.error(f"`{name}`: {exercise.manifest} {most}", ("functions", name))
    functions = (replace(each, elsewhere=parts.get(each.name, Part())) for each in exercise.functions)
    return replace(exercise, functions=tuple(functions), edition=True)


def _parts(data: dict[str, Any]) -> dict[str, Part]:
    return {name: Part(part["criteria"], Decimal(part["points"])) for name, part in data["functions"].items()}


def _make(data: dict[str, Any], folder: Path, suites: Path | None, source: Source) -> Exercise:
    suite = None if suites is None else suites / folder.name
    return Exercise(
        id=folder.name,
        title=data["title"],
        lesson=data["lesson"],
        summary=data["summary"],
        folder=folder,
        manifest=source.file,
        suite=suite if suite is not None and suite.is_dir() else None,
        world_sizes=tuple(data.get("world_sizes", ())),
        imports=tuple(data.get("imports", ())),
        given=tuple(data.get("given", ())),
        limits=_limits(data.get("limits", {})),
        functions=tuple(
            _function(function, source.document.values["functions", index][0])
            for index, function in enumerate(data["functions"])
        ),
    )


def _limits(data: Mapping[str, Any]) -> Limits:
    given: dict[str, Any] = {
        key: (float if key.endswith("seconds") else int)(value)
        for key, value in data.items()
        if not key.startswith("x-")
    }
    if "seconds" in given:
        given.setdefault("wall_seconds", 2 * given["seconds"])
    return Limits(**given)


def _function(data: Mapping[str, Any], line: int) -> FunctionSpec:
    return FunctionSpec(
        name=data["name"],
        file=data["file"],
        points=Decimal(data["points"]),
        summary=data["summary"],
        hints=tuple(data["hints"]),
        line=line,
    )


def _check_names(exercise: Exercise, source: Source) -> None:
    """Refuse what a schema cannot see: names given twice, points too fine to be shown as they are."""
    first: dict[str, int] = {}
    for index, function in enumerate(exercise.functions):
        path = ("functions", index)
        if function.name in first:
            line = first[function.name]
            raise source.error(f"`{function.name}` is given twice, first in line {line}", (*path, "name"))
        first[function.name] = function.line
        if function.file in exercise.given:
            raise source.error(f"`{function.file}` is also in `given`: it is either or", (*path, "file"))
        if function.points != round(function.points, DECIMALS):
            raise source.error(f"`points` must have at most {DECIMALS} decimals", (*path, "points"))
