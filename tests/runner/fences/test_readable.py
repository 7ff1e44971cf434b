"""What a worker may read holds what it needs, and nothing of a suite."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module
from pathlib import Path

import pytest

import grader
from grader.runner.fences import FenceError, readable, readable_paths
from grader.runner.fences.readable import PACKAGES

from .conftest import in_worker, level

PACKAGE = Path(grader.__file__).parent


@pytest.fixture(autouse=True)
def found_anew() -> None:
    """What was found before tells of fewer libraries, if other tests have loaded some in this process since."""
    readable._readable_with.cache_clear()


def test_nothing_hidden_is_in_it() -> None:
    paths = [Path(os.path.realpath(path)) for path in readable_paths(["numpy", "grader.devices"])]
    hidden = [
        PACKAGE / "suites",
        PACKAGE / "runner" / "trusted.py",
        PACKAGE / "runner" / "remote.py",
        Path.home() / "any",
        Path("/tmp/any"),
        Path("/proc/self/environ"),
        Path("/etc/passwd"),
        Path(os.__file__).parent / "site-packages" / "any.py",
        *(Path(folder, "any.py") for folder in sys.path if "site-packages" in folder),
    ]
    assert [(str(path), str(place)) for path in paths for place in hidden if place.is_relative_to(path)] == []


def test_no_path_is_inside_another_or_does_not_exist() -> None:
    paths = {Path(path) for path in readable_paths(())}
    assert [path for path in paths if not path.exists()] == []
    assert [path for path in paths if not paths.isdisjoint(path.parents)] == []


def test_packages_are_named_each_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("wanted", "wanted.libs", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "single.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    new = set(readable_paths(["wanted.part", "single", "not_installed", "json"])) - set(readable_paths(()))
    assert new == {str(tmp_path / name) for name in ("wanted", "wanted.libs", "single.py")}


@pytest.mark.parametrize("strict", [False, True])
def test_a_package_beside_others_is_imported_within_fences(
    strict: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = f"wanted_{strict}"
    for name in (wanted, "other", "third"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"text = '{name}'")
    monkeypatch.syspath_prepend(str(tmp_path))

    def act() -> list[str]:
        found = [import_module(wanted).text]
        for name in ("other", "third"):
            with contextlib.suppress(OSError, ImportError):
                found.append(import_module(name).text)
        return found

    assert in_worker(level(strict), act, readable=readable_paths([wanted])) == [wanted]


def test_what_every_worker_has_changes_nothing() -> None:
    assert readable_paths(["numpy", "grader.devices", "math"]) == readable_paths(())
    assert set(PACKAGES) <= {Path(path).name for path in readable_paths(())}


@pytest.mark.parametrize("name", ["grader", "grader.suites.lesson10", "grader.runner"])
def test_the_grader_itself_is_not_imported(name: str) -> None:
    with pytest.raises(FenceError, match=r"`imports` has grader.*grader\.devices alone"):
        readable_paths([name])


def test_a_package_that_holds_the_grader_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "everything").symlink_to(PACKAGE.parent)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(FenceError, match="holds the grader and its suites"):
        readable_paths(["everything"])
