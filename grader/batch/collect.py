"""What a class handed in, by person: found in a folder, named by a roster, read one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader.gradebook import Person


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What counts of a person: the folder, file or archive at ``path``, whose name in the class's folder is ``source``.

    ``notes`` say what is to know of it, such as that it is the last of several.
    """

    id: str
    source: str
    path: Path
    notes: tuple[str, ...] = ()
    person: Person | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """What everyone handed in, in the order of ids, and who of the roster handed in nothing."""

    handed_in: tuple[HandedIn, ...]
    absent: tuple[Person, ...] = ()
