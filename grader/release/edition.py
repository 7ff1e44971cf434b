"""The learners' edition of a course: all of its files by path. They depend on the course and the tool alone."""

from __future__ import annotations

import importlib.metadata
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from string import Template

from grader.course import Course, CourseError, Exercise
from grader.course.course import FILE, PACKAGE
from grader.course.exercise import ELSEWHERE, MANIFEST, PRISTINE, Part, read_exercise
from grader.course.source import Source
from grader.release.answers import Answer, answers, leaks
from grader.release.cut import cut
from grader.release.pages import with_links_out
from grader.results import Planned
from grader.runner import Grader, GraderFault, read_submission

TEMPLATES = Path(__file__).parent / "templates"
DISTRIBUTION = "sharded-training-course"
SUITES = "grader/suites"
# Of the package neither the content, which stands beside it, nor any suite but the cut ones.
NOT_THE_TOOL = ("__pycache__", "content", "suites")
OWN = {
    "README.md": "README.md.txt",
    "pyproject.toml": "pyproject.toml.txt",
    ".gitignore": "gitignore.txt",
    ".github/workflows/grade.yml": "grade.yml.txt",
}
# What these look at an edition does not have.
NOT_CHECKED = ("form-template", "suite-names")
EDITION = "The learners' edition, written by `course release`: without hidden criteria, references, mutants and forms."
SHOWN = 10

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Released:
    """What learners get of one exercise, and what is graded elsewhere."""

    id: str
    here: Part
    elsewhere: Part


@dataclass(frozen=True, slots=True)
class Edition:
    """The files of an edition, and its exercises."""

    files: Mapping[str, bytes]
    exercises: tuple[Released, ...]


def make_edition(course: Course, ids: Sequence[str] = ()) -> Edition:
    """Make the edition with the exercises ``ids``, or all; CourseError where it would tell what is hidden."""
    exercises = [course.exercise(id) for id in course.exercises() if id in ids or not ids]
    if not exercises:
        raise CourseError("there is no exercise to release", course.file)
    # Where exercises are left out, what lessons link of them is elsewhere.
    unchecked = NOT_CHECKED if len(exercises) == len(course.exercises()) else (*NOT_CHECKED, "head-list")
    files = {**tool_files(), **_content(course), FILE: course_file(course, unchecked)}
    secrets: list[Answer] = []
    released = []
    for exercise in exercises:
        suite, hidden, each = _suite(exercise)
        files |= exercise_files(exercise) | suite
        secrets += hidden
        released.append(each)
    pages = {name: content for name, content in files.items() if not name.startswith("grader/")}
    files |= with_links_out(pages, course.repository) | _own(course, released, files)
    files = {name: files[name] for name in sorted(files)}
    _refuse_leaks(secrets, files)
    return Edition(files, tuple(released))


def tool_files() -> Files:
    """The package's own source."""
    files = {path.relative_to(PACKAGE): path for path in PACKAGE.rglob("*") if path.is_file()}
    return {f"grader/{name.as_posix()}": path.read_bytes() for name, path in files.items() if _is_tool(name)}


def _is_tool(name: Path) -> bool:
    return not any(part in NOT_THE_TOOL or part.startswith(".") for part in name.parts)


def _content(course: Course) -> Files:
    """The pages, with their figures."""
    root = course.file.parent
    found = [path for folder in ("lessons", "glossary") for path in (root / folder).rglob("*") if path.is_file()]
    names = {path.relative_to(root).as_posix(): path for path in found}
    return {name: path.read_bytes() for name, path in names.items() if not any(part[0] == "." for part in path.parts)}


def course_file(course: Course, unchecked: Sequence[str] = NOT_CHECKED) -> bytes:
    """``course.yml`` without ``suites:``, so that the suites beside the tool count, and with some rules off."""
    data = {key: value for key, value in Source.read(course.file).document.data.items() if key != "suites"}
    data["severities"] = {**data.get("severities", {}), **dict.fromkeys(unchecked, "off")}
    # JSON is YAML, and says the same to every reader of it.
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in data.items()]
    return "".join([f"# {EDITION}\n", *lines]).encode()


def exercise_files(exercise: Exercise) -> Files:
    """The exercise as it begins: stubs from ``.pristine/``, whatever was written into the files beside it."""
    paths = {name: exercise.folder / name for name in (MANIFEST, "README.md", *exercise.given)}
    for name in exercise.files:
        paths[name] = paths[f"{PRISTINE}/{name}"] = exercise.pristine(name)
    return {f"exercises/{exercise.id}/{name}": path.read_bytes() for name, path in paths.items() if path.is_file()}


def _suite(exercise: Exercise) -> tuple[Files, list[Answer], Released]:
    """The visible part of the suite, what would tell the rest, and how much is where."""
    if exercise.edition:
        raise CourseError(
            "this is the learners' edition: only where the whole suite is can one be made", exercise.manifest
        )
    if exercise.suite is None:
        raise CourseError("there is no suite for it, of which learners could get a part", exercise.manifest)
    with Grader(exercise) as grader:
        planned = grader.planned()
    visible = [criterion for criterion in planned if criterion.visibility == "visible"]
    if not visible:
        raise CourseError("no criterion is visible: learners would have nothing to grade by", exercise.suite)
    found = cut(exercise.suite, planned)
    hidden = [criterion for criterion in planned if criterion.visibility != "visible"]
    parts = {each.name: _part(hidden, each.name) for each in exercise.functions}
    elsewhere = "".join(
        f"  {name}: {{criteria: {part.criteria}, points: {part.points:f}}}\n"
        for name, part in parts.items()
        if part.criteria
    )
    suite = found.files | {ELSEWHERE: f"functions:\n{elsewhere}" if elsewhere else "functions: {}\n"}
    files = {name: text.encode() for name, text in suite.items()}
    _prove(exercise, files, visible)
    released = Released(exercise.id, _part(visible), _part(hidden))
    return {f"{SUITES}/{exercise.id}/{name}": content for name, content in files.items()}, answers(found), released


def _part(criteria: Sequence[Planned], function: str | None = None) -> Part:
    points = [each.points for each in criteria if function in (None, each.function)]
    return Part(len(points), sum(points, Decimal(0)))


def _prove(exercise: Exercise, files: Mapping[str, bytes], visible: Sequence[Planned]) -> None:
    """What was cut must still be whole: the same criteria, all of which the reference earns."""
    assert exercise.suite is not None
    reference = exercise.suite / "reference"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / exercise.id
        place.mkdir()
        for name, content in files.items():
            (place / name).write_bytes(content)
        try:
            with Grader(read_exercise(exercise.folder, Path(folder))) as grader:
                whole = grader.planned() == tuple(visible)
                if whole and reference.is_dir():
                    whole = grader.grade(read_submission(reference, exercise)).complete
        except GraderFault as fault:
            raise CourseError(
                f"what is left without hidden criteria is broken: {fault.message}", exercise.suite
            ) from None
    if not whole:
        raise CourseError("what is left without hidden criteria does not judge as it did", exercise.suite)


def _own(course: Course, released: Sequence[Released], files: Mapping[str, bytes]) -> Files:
    """What an edition has of its own: how to begin, how to install, and what grades a push."""
    values = {
        "title": course.title,
        "description": course.description,
        "first": released[0].id,
        "exercises": ", ".join(json.dumps(each.id) for each in released),
        "elsewhere": _elsewhere(released),
        **project(),
        "content": "".join(
            f'"{name}" = "grader/content/{name}"\n'
            for name in (FILE, "exercises", "glossary", "lessons")
            if any(file == name or file.startswith(f"{name}/") for file in files)
        ),
    }
    return {
        name: Template((TEMPLATES / template).read_text("utf-8")).substitute(values).encode()
        for name, template in OWN.items()
    }


def _elsewhere(released: Sequence[Released]) -> str:
    rows = [
        f"| [{each.id}](exercises/{each.id}/README.md) | {each.here.criteria} | {each.here.points.normalize():f} "
        f"| {each.elsewhere.criteria} | {each.elsewhere.points.normalize():f} |"
        for each in released
    ]
    return "\n".join(rows)


def project() -> dict[str, str]:
    """What the installed package says of itself, the same for a clone and a wheel. A text of JSON is one of TOML."""
    told = importlib.metadata.metadata(DISTRIBUTION)
    needed = [each for each in told.get_all("Requires-Dist") or [] if "extra ==" not in each]
    return {
        "name": json.dumps(told["Name"]),
        "version": json.dumps(told["Version"]),
        "summary": json.dumps(told["Summary"], ensure_ascii=False),
        "python": json.dumps(told["Requires-Python"]),
        "dependencies": "".join(f"    {json.dumps(each)},\n" for each in sorted(needed)),
    }


def _refuse_leaks(secrets: Sequence[Answer], files: Mapping[str, bytes]) -> None:
    found = list(leaks(secrets, files, lambda name: name.startswith("grader/") and not name.startswith(f"{SUITES}/")))
    if not found:
        return
    first = found[0].answer
    told = [f"{leak.file}, line {leak.line}: {leak.answer.literal!r} of {leak.answer.owner}" for leak in found[:SHOWN]]
    if len(found) > SHOWN:
        told.append(f"and {len(found) - SHOWN} more")
    text = "\n  ".join(["learners would read what hidden criteria say, so nothing was written:", *told])
    raise CourseError(text, first.path, first.line)
