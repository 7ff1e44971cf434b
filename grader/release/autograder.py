"""An autograder for Gradescope: the tool, one exercise with its whole suite, and the scripts that Gradescope runs."""

from __future__ import annotations

import io
import shlex
import zipfile
from collections.abc import Mapping
from pathlib import Path
from string import Template

from grader.course import Course, CourseError, Exercise
from grader.course.course import FILE
from grader.release.edition import TEMPLATES, Files, course_file, exercise_files, project, tool_files

SCRIPTS = ("setup.sh", "run_autograder")
# It proves the suite, and where the stubs are nothing is graded by it.
REFERENCE = "reference/"
# The comment of an archive: one that has it may be written over.
MARK = b"Written by course release --gradescope."
EARLIEST = (1980, 1, 1, 0, 0, 0)


def make_autograder(course: Course, id: str) -> bytes:
    """Make the zip for exercise ``id``, whose bytes depend on the course and the tool alone."""
    exercise = course.exercise(id)
    pyproject = Template((TEMPLATES / "pyproject.toml.txt").read_text("utf-8")).substitute(project(), content="")
    tool = {**tool_files(), "pyproject.toml": pyproject.encode(), "README.md": b"The tool of the course.\n"}
    inside = {FILE: course_file(course) + b"suites: suites\n", **exercise_files(exercise), **_suite(exercise)}
    variables = f"exercise={shlex.quote(exercise.id)}\nfiles=({shlex.join(exercise.files)})\n"
    return _archive(
        {
            **{f"tool/{name}": content for name, content in tool.items()},
            **{f"course/{name}": content for name, content in inside.items()},
            **{name: (TEMPLATES / f"{name}.txt").read_bytes() for name in SCRIPTS},
            "exercise.sh": variables.encode(),
        }
    )


def is_autograder(file: Path) -> bool:
    """Whether ``file`` is one that ``make_autograder`` made."""
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.comment == MARK
    except (OSError, zipfile.BadZipFile):
        return False


def _suite(exercise: Exercise) -> Files:
    if exercise.edition or exercise.suite is None:
        raise CourseError("an autograder needs the whole suite, which is not here", exercise.manifest)
    return {
        f"suites/{exercise.id}/{name}": path.read_bytes()
        for name, path in exercise.suite_files().items()
        if not name.startswith(REFERENCE)
    }


def _archive(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    # Nothing is compressed: to what differs from one zlib to the next.
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        archive.comment = MARK
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.create_system = 3  # Unix, wherever this runs
            entry.external_attr = (0o100755 if name in SCRIPTS else 0o100644) << 16
            archive.writestr(entry, files[name])
    return stream.getvalue()
