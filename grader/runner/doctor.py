"""What fences are worth on this machine: tries, from inside a worker, to get across each of them."""

from __future__ import annotations

import inspect
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import grader
from grader.authoring.trouble import StudentError
from grader.limits import Limits
from grader.results import MissingFence

from .fences import probes
from .handle import Setup
from .remote import Link
from .start import only_a_zygote

SUITES = Path(grader.__file__).parent / "suites"
# Stands behind the source of the probes, as a learner's file.
TRY = """

def attempt(name, path):
    import errno

    try:
        if path is None:
            next(probe for probe in PROBES if probe.name == name).attempt()
        else:
            open(path, "rb").close()
    except OSError as error:
        return errno.errorcode.get(error.errno, "OSError")
    return ""
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to get across: how it was stopped, None if it was not, and what it means then.

    Each of ``fences`` would stop it alone.
    """

    name: str
    stopped_by: str | None
    fences: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found about a machine."""

    versions: dict[str, str]
    system: str
    user: str
    fences: tuple[str, ...]
    missing: tuple[MissingFence, ...]
    attempts: tuple[Attempt, ...]

    @property
    def crossed(self) -> tuple[Attempt, ...]:
        return tuple(each for each in self.attempts if each.stopped_by is None)

    @property
    def holds(self) -> bool:
        """Whether every fence is up and stopped what it should."""
        return not self.missing and not self.crossed


def examine(*, strict: bool = False) -> Examination:
    """Try this machine's fences. Raises WorkerFault if one that it has does not come up."""
    files = {"probes.py": (inspect.getsource(probes) + TRY).encode()}
    with only_a_zygote() as control:
        setup = Setup(files, {"attempt": "probes.py"}, {}, (), Limits(), strict)
        link = Link(control, setup, {}, lambda: None)
        try:
            link.start()
            attempts = tuple(_attempts(link))
            fences, missing = link.fences, link.missing_fences
        finally:
            link.close()
    return Examination(
        versions={
            "course": grader.__version__,
            "python": platform.python_version(),
            "numpy": version("numpy"),
            "pytest": version("pytest"),
        },
        system=f"{platform.system()} {platform.release()} on {platform.machine()}, {os.cpu_count()} processors",
        user="root" if hasattr(os, "geteuid") and os.geteuid() == 0 else "a user without privileges",
        fences=fences,
        missing=missing,
        attempts=attempts,
    )


def _attempts(link: Link) -> Iterator[Attempt]:
    folders = {"read a hidden suite": SUITES, "read your home folder": Path.home()}
    for name, folder in folders.items():
        file = next((file for pattern in ("*", "*/*") for file in sorted(folder.glob(pattern)) if file.is_file()), None)
        if file is not None:
            yield Attempt(name, _try(link, name, str(file)), ("landlock", "namespaces"), probes.FILES)
    for probe in probes.PROBES:
        yield Attempt(probe.name, _try(link, probe.name, None), probe.fences, probe.meaning)


def _try(link: Link, name: str, path: str | None) -> str | None:
    try:
        return str(link.call("attempt", (name, path), {})) or None
    except StudentError as error:
        return error.trouble.kind
