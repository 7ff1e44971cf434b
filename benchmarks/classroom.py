"""An exercise on numbers for several graders, made of one table of cases, and a class that hands it in."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

EXERCISE = "numbers"
FILE = "numbers_of.py"
# What each function makes of a list: four cases a function, each of them a criterion of one point.
CASES: Mapping[str, Mapping[str, tuple[list[float], float]]] = {
    "mean": {
        "whole": ([1, 2, 3], 2.0),
        "single": ([7], 7.0),
        "halves": ([1.5, 2.5], 2.0),
        "negative": ([-4, 4, -8, 8, 10], 2.0),
    },
    "spread": {
        "whole": ([1, 2, 3], 2),
        "single": ([7], 0),
        "halves": ([1.5, 4.0, 2.5], 2.5),
        "negative": ([-4, -10], 6),
    },
    "middle": {
        "odd": ([3, 1, 2], 2),
        "single": ([7], 7),
        "even": ([4, 1, 3, 2], 2.5),
        "negative": ([-1, -5, -3], -3),
    },
}
POINTS = sum(map(len, CASES.values()))
RIGHT = {
    "mean": "float(np.mean(values))",
    "spread": "float(np.ptp(values))",
    "middle": "float(np.median(values))",
}
# What goes wrong in the code of some, and in how many criteria.
WRONG = {
    "mean": ("float(np.sum(values) / (len(values) + 1))", 4),
    "spread": ("float(np.max(values))", 4),
    "middle": ("float(values[0])", 3),
}
IMPORT = "import numpy as np\n\n\n"
FUNCTION = "def {name}(values):\n    return {body}\n"
# Submissions that mean harm, or are broken: what the file does when it is imported or called, and the points left.
HOSTILE = {
    "ends its process": "import os\nos._exit(0)\n",
    "never ends": "while True:\n    pass\n",
    "prints without end": "while True:\n    print('x' * 10_000)\n",
    "takes all memory": "held = [bytearray(1 << 30) for _ in range(64)]\n",
    "forks": "import os\nwhile True:\n    os.fork()\n",
    "writes where it can": "from pathlib import Path\nPath('/tmp/planted').write_text('x' * 10_000)\n",
    "is no Python": "def mean(values:\n",
    "is not UTF-8": "# \udcff\udcfe\nmean = 1\n",
    "equals everything": "class Always:\n    __eq__ = lambda *_: True\n\n\ndef mean(values):\n    return Always()\n",
}
ARCHIVES = ("a bomb", "half an archive", "another file")


@dataclass(frozen=True, slots=True)
class Handed:
    """One submission: its name in the class's folder, and the points it must get; None if it cannot be graded."""

    id: str
    points: int | None


def write_course(folder: Path) -> Path:
    """Write a course with the exercise and its hidden suite, and give its ``course.yml``."""
    functions = "".join(
        f"  - name: {name}\n    file: {FILE}\n    points: {len(cases)}\n    summary: The {name} of some numbers.\n"
        "    hints: [Which numbers?, What of them?, How many are there?]\n"
        for name, cases in CASES.items()
    )
    stubs = "\n\n".join(f"def {name}(values):\n    raise NotImplementedError\n" for name in CASES)
    right = IMPORT + "\n\n".join(FUNCTION.format(name=name, body=body) for name, body in RIGHT.items())
    tests = "".join(
        f'\n\n@criterion("{name}", points=1, title="{case} numbers")\ndef test_{name}_{case}(student):\n'
        f"    assert student.{name}({values}) == {expected}\n"
        for name, cases in CASES.items()
        for case, (values, expected) in cases.items()
    )
    exercise, suite = folder / "exercises" / EXERCISE, folder / "suites" / EXERCISE
    course = "schema: 1\ntitle: Numbers\ndescription: Plain numbers.\nlanguage: en\nsuites: suites\n"
    manifest = (
        "title: Numbers\nlesson: lesson1\nsummary: Numbers of lists.\nimports: [numpy]\nlimits:\n  seconds: 1\n"
        f"functions:\n{functions}"
    )
    files = {
        folder / "course.yml": course,
        exercise / "exercise.yml": manifest,
        exercise / FILE: stubs,
        exercise / ".pristine" / FILE: stubs,
        suite / "reference" / FILE: right,
        suite / "test_numbers.py": f"from grader.authoring import criterion\n{tests}",
    }
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder / "course.yml"


def write_class(folder: Path, count: int, *, hostile: float = 0.0, seed: int = 1) -> list[Handed]:
    """Write ``count`` submissions, a quarter of them partly wrong and the share ``hostile`` hostile or broken.

    Half are folders, half zip archives.
    """
    chance = random.Random(seed)
    return [_write_one(folder, number, chance, hostile) for number in range(count)]


def _write_one(folder: Path, number: int, chance: random.Random, hostile: float) -> Handed:
    id = f"student{number:05}"
    if chance.random() < hostile:
        kind = chance.choice([*HOSTILE, *ARCHIVES])
        if kind in ARCHIVES:
            (folder / f"{id}.zip").write_bytes(_archive(kind))
            # A bomb is an archive with a file that is too large to be taken, the others are none.
            return Handed(id, 0 if kind == "a bomb" else None)
        _write_submission(folder, id, HOSTILE[kind], number % 2 == 0)
        return Handed(id, 0)
    bodies, points = dict(RIGHT), POINTS
    if chance.random() < 0.25:
        name = chance.choice([*WRONG])
        bodies[name], missed = WRONG[name]
        points -= missed
    # No two files are the same, so that nothing can be remembered of another.
    text = f"# {id}\n{IMPORT}" + "\n\n".join(FUNCTION.format(name=name, body=body) for name, body in bodies.items())
    _write_submission(folder, id, text, number % 2 == 0)
    return Handed(id, points)


def _write_submission(folder: Path, id: str, text: str, zipped: bool) -> None:
    content = text.encode("utf-8", "surrogateescape")
    if zipped:
        (folder / f"{id}.zip").write_bytes(_zip({f"{id}/{FILE}": content}))
    else:
        (folder / id).mkdir()
        (folder / id / FILE).write_bytes(content)


def _archive(kind: str) -> bytes:
    if kind == "a bomb":
        return _zip({FILE: bytes(1 << 26)})
    whole = _zip({FILE: b"mean = 1\n"})
    return whole[: len(whole) // 2] if kind == "half an archive" else b"not an archive\n"


def _zip(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def write_pytest(folder: Path) -> Path:
    """The same cases for pytest, which imports the submission's file by its name."""
    tests = "".join(
        f"\n\ndef test_{name}_{case}():\n    assert {FILE[:-3]}.{name}({values}) == {expected}\n"
        for name, case, values, expected in _cases()
    )
    return _write(folder / "test_numbers.py", f"import {FILE[:-3]}\n{tests}")


def write_check50(folder: Path) -> Path:
    """The same cases for check50, each a check that imports the file."""
    checks = "".join(
        f'\n\n@check50.check()\ndef {name}_{case}():\n    """{name}, {case}"""\n'
        f'    found = check50_python.import_("{FILE}").{name}({values})\n'
        f"    if found != {expected}:\n        raise check50.Mismatch('{expected}', str(found))\n"
        for name, case, values, expected in _cases()
    )
    _write(folder / ".cs50.yml", "check50: true\n")
    return _write(folder / "__init__.py", f"import check50\nimport check50.py as check50_python\n{checks}").parent


def write_otter(folder: Path) -> Path:
    """The same cases for otter-grader, a file of tests in its format."""
    cases = ", ".join(
        repr(
            {
                "code": f">>> {name}({values}) == {expected}\nTrue",
                "hidden": False,
                "locked": False,
            }
        )
        for name, case, values, expected in _cases()
    )
    suite = f"{{'cases': [{cases}], 'scored': True, 'setup': '', 'teardown': '', 'type': 'doctest'}}"
    return _write(
        folder / "q1.py", f"OK_FORMAT = True\n\ntest = {{'name': 'q1', 'points': {POINTS}, 'suites': [{suite}]}}\n"
    ).parent


def _cases() -> Iterator[tuple[str, str, list[float], float]]:
    for name, cases in CASES.items():
        for case, (values, expected) in cases.items():
            yield name, case, values, expected


def _write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file
