"""How platforms lay out what a class handed in: from the names in a folder to hand-ins and whose they are."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from grader.course import yaml
from grader.course.course import natural

METADATA = "submission_metadata.yml"
ARCHIVE = re.compile(r"\.(zip|tar|tgz|tbz2?|txz|tar\.(gz|bz2|xz))$", re.IGNORECASE)

_JUNK = {"__macosx", "__pycache__", "thumbs.db", "desktop.ini"}
_SUFFIX = re.compile(r"\.(py|zip|tar|tgz|tbz2?|txz|tar\.\w{1,4}|rar|7z|ipynb|pdf|txt)$", re.IGNORECASE)
_CANVAS = re.compile(
    r"(?:(?P<who>\w+?)_)??(?:LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]+)_(?P<number>\d+)_(?P<name>.+)", re.DOTALL
)
_AGAIN = re.compile(r"-\d+(?=(\.[A-Za-z]\w*)+$)")
_MOODLE = re.compile(
    r"(?P<who>.+)_(?P<number>\d+)_assignsubmission_(?P<kind>file|onlinetext)(?:_(?P<name>.*))?", re.DOTALL
)


class CollectError(Exception):
    """What a class handed in cannot be collected: a sentence that says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Found:
    """A hand-in, and what its platform says of whose it is and when it came.

    ``files`` are loose files that belong together, by the names that they had. ``handles`` name one person only.
    """

    source: str
    path: Path
    id: str
    platform: str | None = None
    files: tuple[tuple[str, Path], ...] = ()
    handles: tuple[str, ...] = ()
    name: str | None = None
    email: str | None = None
    time: datetime | None = None
    number: int | None = None
    notes: tuple[str, ...] = ()


def is_hidden(name: str) -> bool:
    """Whether an entry is a system's, not a person's."""
    return name.startswith(".") or name.lower() in _JUNK


def readable(name: str) -> str:
    r"""Write what cannot be printed in ``name`` as an escape.

    >>> readable("José.py"), readable("a\nb"), readable(os.fsdecode(b"caf\xe9"))
    ('José.py', 'a\\nb', 'caf\\xe9')
    """
    if name.isprintable():
        return name
    raw = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in raw)


def find(folder: Path) -> list[Found]:
    """Find all hand-ins in ``folder``, which is a class's, or holds nothing but an export of Gradescope."""
    with os.scandir(folder) as scanned:
        entries = {entry.name: entry.is_dir(follow_symlinks=False) for entry in scanned}
    names = {name: entries[name] for name in sorted(entries, key=natural) if not is_hidden(name)}
    only = next(iter(names)) if len(names) == 1 else None
    if only is not None and names[only] and (folder / only / METADATA).is_file():
        return find(folder / only)
    found: list[Found] = []
    if names.pop(METADATA, True) is False:
        found += _gradescope(folder, names)
    found += _moodle(folder, names)
    found += _canvas(folder, names)
    return found + [_plain(folder, name, is_folder) for name, is_folder in names.items()]


def _plain(folder: Path, name: str, is_folder: bool) -> Found:
    id = readable(name if is_folder else _SUFFIX.sub("", name))
    return Found(readable(name), folder / name, id, handles=(id,))


def _gradescope(folder: Path, names: dict[str, bool]) -> Iterator[Found]:
    """Take out of ``names`` the submissions that the export describes: one for each of those who handed in together."""
    described = _read_metadata(folder / METADATA)
    missing = [name for name in described if name not in names]
    if missing:
        shown = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
        raise CollectError(f"{folder / METADATA} speaks of what is not there, {shown}: unpack all of the export")
    for name, (people, time) in described.items():
        del names[name]
        for person in people or [{}]:
            others = [_called(other, name) for other in people if other is not person]
            yield Found(
                source=name,
                path=folder / name,
                id=_called(person, name),
                platform="gradescope",
                handles=tuple(filter(None, (person.get(":sid"), name if len(people) < 2 else None))),
                name=person.get(":name"),
                email=person.get(":email"),
                time=time,
                notes=(f"handed in together with {', '.join(others)}",) if others else (),
            )


def _called(person: Mapping[str, str], name: str) -> str:
    return person.get(":sid") or person.get(":email") or person.get(":name") or name


def _read_metadata(file: Path) -> Mapping[str, tuple[list[dict[str, str]], datetime | None]]:
    """Read who handed in what, and when."""
    try:
        data = yaml.parse(_without_results(file.read_text("utf-8"))).data
        return {
            name: ([_texts(person) for person in entry[":submitters"] or ()], _time(entry.get(":created_at")))
            for name, entry in data.items()
        }
    except OSError as error:
        raise CollectError(f"{file} cannot be read: {error.strerror}") from None
    except yaml.YamlError as error:
        raise CollectError(f"{file}:{error}") from None
    except (AttributeError, LookupError, TypeError, ValueError):
        raise CollectError(f"{file} is not what Gradescope exports: download the export again") from None


def _without_results(text: str) -> str:
    """Leave only who and when, each in its line: the rest is large, of many shapes, and of no use here."""
    lines = []
    keep = True
    for line in text.split("\n"):
        if line[:2].strip():
            keep = True
        elif line[2:3] == ":":
            keep = line.startswith(("  :submitters:", "  :created_at:"))
        lines.append(line if keep else "")
    return "\n".join(lines)


def _texts(person: Mapping[str, Any]) -> dict[str, str]:
    return {key: readable(str(value).strip()) for key, value in person.items() if value is not None}


def _time(value: Any) -> datetime | None:
    try:
        time = datetime.fromisoformat(re.sub(r" (?=[-+Z])", "", str(value)))
    except ValueError:
        return None
    return time.astimezone(UTC) if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _moodle(folder: Path, names: dict[str, bool]) -> Iterator[Found]:
    """Take out of ``names`` what Moodle named: a folder, or loose files, for each participant."""
    of_participant: dict[str, list[re.Match[str]]] = defaultdict(list)
    for name in names:
        if match := _MOODLE.fullmatch(name):
            of_participant[match["number"]].append(match)
    for number, matches in of_participant.items():
        if len({match["who"] for match in matches}) > 1:  # of several assignments, whose numbers are not to be mixed
            continue
        files = [match for match in matches if match["kind"] == "file"] or matches
        loose = [match for match in files if not names[match[0]]]
        groups = [[match] for match in files if names[match[0]]] + ([loose] if loose else [])
        for group in groups:
            own = tuple((readable(match["name"] or match[0]), folder / match[0]) for match in group)
            yield Found(
                source=_source([match[0] for match in group]),
                path=own[-1][1],
                id=number,
                platform="moodle",
                files=own if group is loose else (),
                handles=(number, f"Participant {number}"),
                name=readable(group[0]["who"]),
            )
        for match in matches:
            del names[match[0]]


def _canvas(folder: Path, names: dict[str, bool]) -> Iterator[Found]:
    """Take out of ``names`` the files that Canvas named: those of one user belong together."""
    matches = [match for name, is_folder in names.items() if not is_folder and (match := _CANVAS.fullmatch(name))]
    of_user: dict[str, list[re.Match[str]]] = defaultdict(list)
    for match in sorted(matches, key=lambda match: int(match["number"])):
        of_user[match["user"]].append(match)
    for user, group in of_user.items():
        # Canvas gives each file a number of its own, and one name to a user: anything else has another meaning.
        if len({match["who"] for match in group}) > 1 or len({match["number"] for match in group}) < len(group):
            continue
        files = {readable(_AGAIN.sub("", match["name"])): folder / match[0] for match in group}
        again = "a file was handed in again: the one with Canvas's highest number counts"
        yield Found(
            source=_source([match[0] for match in group]),
            path=folder / group[-1][0],
            id=user,
            platform="canvas",
            files=tuple(files.items()),
            handles=tuple(filter(None, (user, group[0]["who"]))),
            name=group[0]["who"],
            number=int(group[-1]["number"]),
            notes=(again,) if len(files) < len(group) else (),
        )
        for match in group:
            del names[match[0]]


def _source(names: list[str]) -> str:
    more = len(names) - 1
    return readable(names[-1]) + (f" and {more} more file{'s' * (more > 1)}" if more else "")
