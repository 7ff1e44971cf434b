"""What a command is about: an exercise, and the folder or file with a learner's work on it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from grader.cli._names import unknown
from grader.course import Course, CourseError, Exercise, FunctionSpec
from grader.course.exercise import MANIFEST, read_exercise


@dataclass(frozen=True, slots=True)
class Target:
    """An exercise of a course, and the work on it. ``named`` is whether ``--exercise`` was needed to find it."""

    course: Course
    exercise: Exercise
    path: Path
    named: bool = False

    @property
    def arguments(self) -> str:
        """What to type after ``course grade`` to come here again."""
        extra = f" --exercise {self.exercise.id}" if self.named else ""
        return shlex.quote(str(self.path)) + extra

    @property
    def folder(self) -> Path:
        return self.path if self.path.is_dir() else self.path.parent

    def function(self, name: str) -> FunctionSpec:
        """The function called ``name``, or a usage error that lists what there is."""
        known = {function.name: function for function in self.exercise.functions}
        if name not in known:
            raise unknown(f"{self.exercise.id} has no function {name!r}", name, known)
        return known[name]

    def check(self) -> None:
        """Hold the course and the exercise against their schemas."""
        Course.read(self.course.file)
        read_exercise(self.exercise.folder, self.course.suites)


def find_target(path: Path, exercise: str | None = None, *, check: bool = True) -> Target:
    """Find the exercise that ``path`` is work on: as named, by its folder's name or manifest, or by the files in it.

    With ``exercise`` the course is that of the current folder, so that nothing in ``path``, which may be a
    stranger's, says what is graded and by which suite. A ``path`` that does not exist can be the id of an exercise.
    ``check`` as for ``read_exercise``.
    """
    course = Course.find(path if exercise is None else Path.cwd(), check=check)
    ids = course.exercises()
    if exercise is not None:
        return Target(course, course.exercise(_known(exercise, ids), check=check), path, named=True)
    if not path.exists():
        id = _known(str(path), ids)
        return Target(course, course.exercise(id, check=check), course.exercises_folder / id)
    folder = (path if path.is_dir() else path.parent).absolute()
    if folder.name in ids:
        return Target(course, course.exercise(folder.name, check=check), path)
    if (folder / MANIFEST).is_file():
        return Target(course, read_exercise(folder, course.suites, check=check), path)
    started = started_in(folder, course, check=check)
    if started is not None:
        return Target(course, started, path)
    raise click.UsageError(
        f"{path} does not say which exercise it is. Add --exercise with one of: {', '.join(ids) or 'none there'}."
    )


def started_in(folder: Path, course: Course, *, check: bool = True) -> Exercise | None:
    """The exercise whose every file is in ``folder``, as ``course start`` leaves it; None if there is not just one."""
    exercises = [course.exercise(id, check=check) for id in course.exercises()]
    found = [each for each in exercises if all((folder / name).is_file() for name in each.files)]
    return found[0] if len(found) == 1 else None


def suite_of(target: Target) -> Path:
    """The hidden suite, or an error that says where it was looked for."""
    if target.exercise.suite is not None:
        return target.exercise.suite
    suites = target.course.suites
    looked = "names no folder with suites" if suites is None else f"leads to {suites}, which has none"
    raise CourseError(f"no suite for {target.exercise.id}: this course {looked}", target.course.file)


def _known(id: str, ids: list[str]) -> str:
    if id not in ids:
        raise unknown(f"no path and no exercise is called {id!r}", id, ids)
    return id
