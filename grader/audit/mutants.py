"""The wrong solutions of a suite: what their headers say, and whether they hold only what is wrong."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.results import Finding
from grader.runner import Submission

from .found import finding

HEADER = re.compile(rb"# caught by: (.+)\r?\n# defect: \S.+\r?\n\r?\n")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A folder with the files that differ from the reference. ``named`` are the criteria that its header names."""

    name: str
    folder: Path
    files: Mapping[str, bytes]
    named: tuple[str, ...]

    @property
    def trial(self) -> str:
        """What grading it is called."""
        return f"mutant {self.name}"

    @property
    def first(self) -> Path:
        """The file with the header."""
        return self.folder / next(iter(self.files))


def read_mutants(suite: Path) -> list[Mutant]:
    """The mutants of a suite, by name."""
    return [_read(folder) for folder in sorted((suite / "mutants").glob("*/")) if not folder.name.startswith("_")]


def _read(folder: Path) -> Mutant:
    files = {path.name: path.read_bytes() for path in sorted(folder.glob("*.py"))}
    header = HEADER.match(next(iter(files.values()), b""))
    named = tuple(re.split(r",\s*", header[1].decode("utf-8", "replace").strip())) if header else ()
    return Mutant(folder.name, folder, files, named)


def check_mutants(
    mutants: Sequence[Mutant], suite: Path, criteria: Sequence[str], reference: Submission
) -> Iterator[Finding]:
    """Each mutant says who must catch it, and holds nothing but what differs from the reference."""
    if not mutants:
        message = "there are no mutants: nothing shows what the suite catches"
        fix = "Write wrong solutions, mutants/NAME/FILE.py, with a header that names the criterion that catches each."
        yield finding("mutant", suite / "mutants", None, message, fix)
    for mutant in mutants:
        if not mutant.files:
            fix = "Put the files there in which it differs from the reference, or remove the folder."
            yield finding("mutant", mutant.folder, None, f"{mutant.name} has no Python file", fix)
            continue
        yield from _check_header(mutant, criteria)
        yield from _check_files(mutant, reference)


def _check_header(mutant: Mutant, criteria: Sequence[str]) -> Iterator[Finding]:
    if not mutant.named:
        fix = 'Begin it with "# caught by: CRITERION", "# defect: what is wrong" and an empty line.'
        yield finding("mutant", mutant.first, 1, f"{mutant.name} does not say which criterion catches it", fix)
    for name in mutant.named:
        if name not in criteria:
            near = difflib.get_close_matches(name, criteria, 1)
            fix = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(criteria)}."
            yield finding("mutant", mutant.first, 1, f"no criterion is called {name}", fix)


def _check_files(mutant: Mutant, reference: Submission) -> Iterator[Finding]:
    for name, content in mutant.files.items():
        if name not in reference.files:
            fix = f"Name it as a file of the exercise: {', '.join(reference.files)}."
            yield finding("mutant", mutant.folder / name, None, f"the exercise has no file {name}", fix)
        elif content == reference.files[name]:
            fix = "Remove it: a mutant holds only the files that differ."
            yield finding("mutant", mutant.folder / name, None, f"{name} is the same in the reference", fix)
