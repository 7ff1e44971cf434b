"""The house: imports run one way, every module says what it is, and every folder names its public face."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from grader.course import Course

ROOT = Path(__file__).parents[1]
SUITES = ROOT / "grader" / "suites"
COURSE = Course.read(ROOT / "course.yml")

# What each part may import beside itself and the standard library. `grader` alone is the version and the place.
MAY_IMPORT = {
    "grader": set(),
    "grader.limits": set(),
    "grader.results": set(),
    "grader.gradebook": {"grader.results"},
    "grader.likeness": set(),
    "grader.devices": {"numpy", "greenlet"},
    "grader.authoring": {"grader.course", "grader.devices", "grader.results", "numpy", "pytest"},
    "grader.course": {"grader", "grader.limits", "jsonschema", "markdown_it", "mdit_py_plugins", "yaml"},
    "grader.audit": {"grader.authoring", "grader.course", "grader.results", "grader.runner"},
    "grader.batch": {
        "grader", "grader.course", "grader.gradebook", "grader.limits", "grader.results", "grader.runner",
        "distributed",
    },
    "grader.figures": {
        "grader.authoring", "grader.course", "grader.devices", "grader.pictures", "grader.results", "grader.scale",
        "grader.strategies",
    },
    "grader.links": {"grader", "grader.course", "httpx"},
    "grader.pictures": {"grader.results"},
    "grader.rules": {"grader.course", "grader.results"},
    "grader.reader": {"grader.course", "markdown_it", "rich"},
    "grader.release": {"grader", "grader.authoring", "grader.course", "grader.results", "grader.runner"},
    "grader.report": {"grader.gradebook", "grader.likeness", "grader.pictures", "grader.results", "rich"},
    "grader.runner": {
        "grader", "grader.authoring", "grader.course", "grader.devices", "grader.limits",
        "grader.results", "_pytest", "greenlet", "msgpack", "numpy", "pytest",
    },
    "grader.cli": {
        "grader", "grader.audit", "grader.batch", "grader.course", "grader.figures", "grader.gradebook",
        "grader.links", "grader.pictures", "grader.reader", "grader.release", "grader.report", "grader.results",
        "grader.rules", "grader.runner", "grader.scale", "grader.similar", "grader.study", "click", "rich",
    },
    "grader.similar": {"grader.course", "grader.likeness", "grader.runner", "copydetect", "numpy", "pygments"},
    "grader.strategies": {"grader.devices", "numpy"},
    "grader.scale": {
        "grader.authoring", "grader.course", "grader.devices", "grader.limits", "grader.runner", "grader.strategies",
        "layers",
    },
    "grader.study": {"grader.course"},
    "grader.suites": {"grader.authoring", "grader.devices", "grader.results", "numpy", "pytest"},
}  # fmt: skip


def modules() -> list[Path]:
    """The package's own files, without the solutions that its suites hold."""
    files = sorted((ROOT / "grader").rglob("*.py"))
    return [file for file in files if not {"content", "mutants", "reference"} & set(file.parts)]


def packages() -> list[Path]:
    return [file for file in modules() if file.name == "__init__.py"]


def relative(file: Path) -> str:
    return str(file.relative_to(ROOT))


def module_name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def part_of(name: str) -> str:
    """The part of the house that a module is in, such as ``grader.devices``."""
    return ".".join(name.split(".")[:2])


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_bytes(), str(file))


def imports(file: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in it, by absolute name."""
    package = module_name(file).split(".")
    if file.name != "__init__.py":
        package.pop()
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            # `from grader import course` imports a part, `from grader import __version__` does not.
            yield from (f"{module}.{alias.name}" if module == "grader" else module for alias in node.names)


def at_the_top(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements outside of functions and classes, those under ``if TYPE_CHECKING`` among them."""
    for node in tree.body:
        yield from node.body if isinstance(node, ast.If) else [node]


def imported_parts(file: Path) -> set[str]:
    """What a file imports of other parts and of other packages; the standard library is left out."""
    found = set()
    for name in imports(file):
        top = name.partition(".")[0]
        part = part_of(name) if top == "grader" else top
        if part != part_of(module_name(file)) and top not in sys.stdlib_module_names:
            found.add(part if part in MAY_IMPORT or top != "grader" else "grader")
    return found


@pytest.mark.parametrize("file", modules(), ids=relative)
def test_imports_run_one_way(file: Path) -> None:
    part = part_of(module_name(file))
    allowed = MAY_IMPORT[part]
    if part == "grader.suites":
        # A suite also finds the files beside it, and those that its exercise gives.
        given = COURSE.exercise(file.relative_to(SUITES).parts[0]).given
        allowed = allowed | {path.stem for path in file.parent.glob("*.py")} | {Path(name).stem for name in given}
    assert imported_parts(file) <= allowed


@pytest.mark.parametrize("file", sorted(SUITES.glob("*/reference/*.py")), ids=relative)
def test_a_reference_imports_what_a_learner_may(file: Path) -> None:
    exercise = COURSE.exercise(file.relative_to(SUITES).parts[0])
    own = {Path(name).stem for name in (*exercise.files, *exercise.given)}
    foreign = {name for name in imports(file) if name.partition(".")[0] not in sys.stdlib_module_names}
    assert foreign - own <= set(exercise.imports)


@pytest.mark.parametrize("file", modules(), ids=relative)
def test_every_module_says_what_it_is(file: Path) -> None:
    docstring = ast.get_docstring(parsed(file))
    assert docstring
    assert docstring.splitlines()[0].endswith((".", ":"))


@pytest.mark.parametrize("file", packages(), ids=relative)
def test_a_folder_names_its_public_face(file: Path) -> None:
    """What an ``__init__`` takes from the modules of its folder is what it offers, and all of that is there."""
    inner = {path.stem for path in file.parent.iterdir()}
    taken = {
        alias.asname or alias.name
        for node in at_the_top(parsed(file))
        if isinstance(node, ast.ImportFrom) and (node.module or "").removeprefix(f"{module_name(file)}.") in inner
        for alias in node.names
    }
    offered = getattr(import_module(module_name(file)), "__all__", [])
    assert taken <= set(offered)
    for name in offered:
        assert hasattr(import_module(module_name(file)), name)


def test_help_imports_click_alone() -> None:
    program = """
import json, sys
before = set(sys.modules)
from grader.cli import course
try:
    course(["--help"])
except SystemExit as ended:
    assert not ended.code
print(json.dumps(sorted(set(sys.modules) - before)))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    imported = json.loads(ended.stdout.splitlines()[-1])
    assert {name for name in imported if name.startswith("grader")} == {"grader", "grader.cli"}
    assert {name.partition(".")[0] for name in imported} - sys.stdlib_module_names == {"click", "grader"}


def test_the_check_runs_the_test_command_of_the_readme() -> None:
    """Perhaps with options more, such as coverage."""
    readme, check = (
        re.findall(r"python (-m pytest[^`\n]*)", (ROOT / name).read_text()) for name in ("README.md", ".ci/run")
    )
    assert len(readme) == len(check) == 1
    assert check[0].startswith(readme[0])


def test_folders_of_tests_are_packages() -> None:
    """Two files of one name cannot both be imported if their folders are no packages."""
    tests = ROOT / "tests"
    files = [
        file for file in tests.rglob("test_*.py") if not {"cases", "course"} & {*file.parts[len(tests.parts) : -2]}
    ]
    assert not [file for file in files if not (file.parent / "__init__.py").is_file()]
