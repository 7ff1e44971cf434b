"""What a class handed in, by person: found in a folder, named by a roster, read one at a time."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.course import natural
from grader.gradebook import Person

from .layouts import CollectError, Found, find
from .roster import KNOWN

# Where a hand-in of a platform is looked up first.
PLATFORM_COLUMNS = ("gradescope", "canvas", "moodle", "repository")


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What counts of a person: the folder, file or archive at ``path``, whose name in the class's folder is ``source``.

    ``files`` are loose files that a platform renamed, by their own names, if they are what was handed in. ``notes``
    say what is to know of it, such as that it is the last of several.
    """

    id: str
    source: str
    path: Path
    notes: tuple[str, ...] = ()
    person: Person | None = None
    files: tuple[tuple[str, Path], ...] = ()


@dataclass(frozen=True, slots=True)
class Collected:
    """What everyone handed in, in the order of ids, and who of the roster handed in nothing."""

    handed_in: tuple[HandedIn, ...]
    absent: tuple[Person, ...] = ()


def collect(folder: Path, roster: Sequence[Person] | None = None) -> Collected:
    """Find what counts of everyone in ``folder``; with a ``roster``, under the ids that it gives them.

    CollectError if there is nothing, or if it is not certain whose a hand-in is.
    """
    register = None if roster is None else _Register(roster)
    everyone: dict[str, list[Found]] = defaultdict(list)
    for each in _find(folder):
        everyone[each.id if register is None else register.id_of(each)].append(each)
    people = {person.id: person for person in roster or ()}
    handed_in = tuple(_counted(id, everyone[id], people.get(id), known=roster is None) for id in sorted(everyone))
    return Collected(handed_in, tuple(person for person in people.values() if person.id not in everyone))


def _find(folder: Path) -> list[Found]:
    try:
        if not folder.exists():
            raise CollectError(f"{folder} does not exist: expected the folder with what was handed in")
        if not folder.is_dir():
            raise CollectError(f"{folder} is no folder: if it is an archive of what was handed in, unpack it first")
        found = find(folder)
    except OSError as error:
        raise CollectError(f"{folder} cannot be read: {error.strerror}") from None
    if not found:
        raise CollectError(f"{folder} is empty: expected a folder, a Python file or an archive for each hand-in")
    return found


def _counted(id: str, found: Sequence[Found], person: Person | None, *, known: bool) -> HandedIn:
    """Make what counts of one person's hand-ins, whose id is ``known`` to be right without a roster."""
    last, why = _last(found) if len(found) > 1 else (found[0], "")
    notes = list(last.notes)
    if why:
        notes.insert(0, f"{len(found)} hand-ins; the last, {last.source}, counts: {why}")
    if person is None and not known:
        notes.append("the roster has nobody for it")
    return HandedIn(id, last.source, last.path, tuple(notes), person, last.files)


def _last(found: Sequence[Found]) -> tuple[Found, str]:
    """The last of several hand-ins, and how that is known."""
    found = sorted(found, key=lambda each: (natural(each.id), natural(each.source)))
    times = [each.time for each in found if each.time is not None]
    if len(times) == len(found):
        return found[times.index(max(times))], f"it came at {max(times):%Y-%m-%d %H:%M:%S %Z}"
    numbers = [each.number for each in found if each.number is not None]
    if len(numbers) == len(found):
        return found[numbers.index(max(numbers))], "its number is the highest"
    return found[-1], "its name is the last in order"


class _Register:
    """Finds whose a hand-in is by what the columns of a roster say."""

    def __init__(self, roster: Iterable[Person]) -> None:
        self._exact: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._folded: dict[tuple[str, str], set[str]] = defaultdict(set)
        for person in roster:
            for column in KNOWN:
                if value := person.id if column == "id" else person.columns.get(column):
                    self._exact[column, value].add(person.id)
                    self._folded[column, _folded(value)].add(person.id)
            for squeezed in _squeezed(person.columns.get("name", "")):
                self._exact["", squeezed].add(person.id)
        self._columns = {column for column, _ in self._exact}

    def id_of(self, found: Found) -> str:
        """The id of the person whose hand-in it is, or its own name; CollectError if it could be two people's."""
        for lookups in self._lookups(found):
            columns = {id: column for column, value in lookups for id in self._look_up(column, value)}
            if len(columns) > 1:
                people = " or ".join(f"of {id!r} by the column `{columns[id] or 'name'}`" for id in sorted(columns))
                raise CollectError(f"{found.source} could be {people}: correct the roster, so that it is of one")
            if columns:
                return next(iter(columns))
        return found.source if self._look_up("id", found.id) else found.id

    def _lookups(self, found: Found) -> Iterator[list[tuple[str, str]]]:
        """What to look up, the surest first: by column and value."""
        columns = PLATFORM_COLUMNS if found.platform is None else (found.platform,)
        # A platform's numbers are not the class's ids where the roster has a column for the platform.
        if found.platform in (None, "gradescope") or found.platform not in self._columns:
            columns = ("id", *columns)
        handles = [value for value in (*found.handles, found.email) if value]
        emails = [found.email] if found.email else found.handles if found.platform is None else []
        yield [
            *((column, value) for column in columns for value in handles),
            *(("email", email) for email in emails),
        ]
        if found.platform is None:
            # A repository is called after the exercise, then after its owner.
            words = found.id.split("-")
            yield [("repository", "-".join(words[start:])) for start in range(1, len(words))]
        name = found.name or found.id
        yield [(column, name) for column in ("name", *columns)]
        yield [("", squeezed) for squeezed in _squeezed(name)[:1]]

    def _look_up(self, column: str, value: str) -> set[str]:
        return self._exact.get((column, value)) or self._folded.get((column, _folded(value)), set())


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold().strip()


def _squeezed(name: str) -> list[str]:
    """The letters of a name without spaces, beginning at each of its words: which of them is the family's is unknown.

    >>> _squeezed("Ana Lima"), _squeezed("Lima, Ana")
    (['analima', 'limaana'], ['limaana', 'analima'])
    """
    words = ["".join(filter(str.isalnum, word)) for word in _folded(name).split()]
    words = [word for word in words if word]
    return ["".join(words[start:] + words[:start]) for start in range(len(words))]
