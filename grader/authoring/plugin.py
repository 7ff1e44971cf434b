"""The pytest plugin of suites: the fixtures ``student``, ``cluster_of``, ``rng`` and ``seed``.

``course grade`` gives it a student in a worker process. Without that, for an author at work,
``pytest -p grader.authoring.plugin SUITE --submission FOLDER`` runs the suite in one process.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.devices import Cluster
from grader.results import DEFAULT_SEED, Detail

from .local import LocalStudent
from .signatures import read_signatures

STUDENT = pytest.StashKey[Callable[[], Any]]()
SEED = pytest.StashKey[int]()
DETAIL = pytest.StashKey[Detail]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("course")
    group.addoption("--submission", type=Path, help="folder with the learner's files; the reference by default")
    group.addoption("--exercise", type=Path, help="the exercise's folder, for the files that it gives")
    group.addoption("--seed", type=int, default=DEFAULT_SEED, help="seed of random cases")


def pytest_configure(config: pytest.Config) -> None:
    folder: Path | None = config.getoption("--exercise")
    if folder is not None:
        from grader.course import Course

        exercise = Course.find(folder).exercise(folder.name)
        given = tuple(folder / name for name in exercise.given)
        load_given(given)
        reference = exercise.suite / "reference" if exercise.suite else folder
        submission = config.getoption("--submission") or reference
        signatures = read_signatures(reference)
        homes = {function.name: function.file for function in exercise.functions}
        config.stash[STUDENT] = lambda: LocalStudent(submission, given, signatures, homes)
        config.stash[SEED] = config.getoption("--seed")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """A suite's solutions, right and wrong, hold no tests."""
    return True if collection_path.name in ("reference", "mutants") and collection_path.is_dir() else None


def load_given(paths: Sequence[Path]) -> None:
    """Make the files that an exercise gives importable by the suite, under their own names."""
    for path in paths:
        spec = spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)


@pytest.fixture(scope="session")
def student(request: pytest.FixtureRequest) -> Any:
    """The learner's functions: ``student.shard(...)``, or ``cluster.run(student.shard, ...)`` once per rank."""
    if STUDENT not in request.config.stash:
        raise pytest.UsageError("a suite needs --exercise FOLDER to run under bare pytest")
    return request.config.stash[STUDENT]()


@pytest.fixture(scope="session")
def cluster_of() -> Callable[..., Cluster]:
    """Makes a new cluster: ``cluster_of(4)``, with Cluster's own options."""
    return Cluster


@pytest.fixture(scope="session")
def seed(request: pytest.FixtureRequest) -> int:
    """The seed of this run; the report prints it."""
    return request.config.stash.get(SEED, DEFAULT_SEED)


@pytest.fixture
def rng(request: pytest.FixtureRequest, seed: int) -> np.random.Generator:
    """Random numbers of this one test case, the same for the same seed."""
    return np.random.default_rng([seed, zlib.crc32(request.node.name.encode())])


@pytest.fixture
def record_detail(request: pytest.FixtureRequest) -> Callable[[Detail], None]:
    """Keeps a detail for the report of a criterion that passes: ``course grade --timeline`` draws it."""

    def record(detail: Detail) -> None:
        request.config.stash[DETAIL] = detail

    return record
