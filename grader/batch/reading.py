"""One hand-in read: which of its files are the exercise's, wherever in a folder or an archive they are."""

from __future__ import annotations

import io
import os
import stat
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from grader.course import Exercise
from grader.runner.submission import (
    Refused,
    Submission,
    SubmissionError,
    read_file,
    read_small,
    some,
    take,
    take_single,
)

from .archives import LINK, MOST_MEMBERS, TOO_MANY, Archive, Listing, open_archive
from .collect import HandedIn
from .layouts import ARCHIVE, is_hidden, readable

LARGEST_INNER = 2**24
ARCHIVES_DEEP = 2
EMPTY = "is empty: hand in the files of the exercise"
UNKNOWN = "is neither a folder nor a Python file nor a zip or tar archive: hand in one of these"


def read_handed_in(handed_in: HandedIn, exercise: Exercise) -> Submission:
    """Take from a hand-in what ``exercise`` asks for, in memory; SubmissionError says why nothing can be taken.

    Its files may lie at the top, in one folder there, in ``exercises/ID`` as in the course, and in one archive within
    it. Where several places hold files of the exercise, the one that alone holds all of them counts.
    """
    try:
        return _read(handed_in, exercise)
    except Refused as error:
        raise SubmissionError(f"{handed_in.source} {error}") from None
    except OSError as error:
        raise SubmissionError(f"{handed_in.source} cannot be read: {error.strerror}") from None


def _read(handed_in: HandedIn, exercise: Exercise) -> Submission:
    if len(handed_in.files) > 1:
        return _take(_OnDisk(dict(handed_in.files)), exercise, ARCHIVES_DEEP)
    name, path = handed_in.files[0] if handed_in.files else (handed_in.path.name, handed_in.path)
    if stat.S_ISDIR(path.lstat().st_mode):
        root = Path(os.path.realpath(path))
        return _take(_OnDisk(dict(_walk(root, exercise.id)), root), exercise, ARCHIVES_DEEP)
    with _open(path) as stream:
        archive = open_archive(stream)
        if archive is not None:
            return _take(archive, exercise, ARCHIVES_DEEP - 1)
        if not name.lower().endswith(".py"):
            raise Refused(UNKNOWN if stream.read(1) else EMPTY)
        return take_single(exercise, readable(name), read_small(stream))


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """Files by their path; links among those of a folder may lead to what is in ``root``, others nowhere."""

    files: Mapping[str, Path]
    root: Path | None = None

    def list(self) -> Listing:
        return Listing(dict.fromkeys(self.files, 1))

    def read(self, wanted: Collection[str]) -> Mapping[str, bytes | Refused]:
        return {path: self._read(self.files[path]) for path in wanted}

    def _read(self, file: Path) -> bytes | Refused:
        try:
            return read_file(file, self.root) if self.root or not file.is_symlink() else Refused(LINK)
        except Refused as error:
            return error


def _walk(root: Path, exercise: str) -> Iterator[tuple[str, Path]]:
    """Find the files in the places of a folder, by their path there; links to folders are not followed."""
    inner = [entry.name for entry in _scan(root) if entry.is_dir(follow_symlinks=False)]
    tops = ["", *(f"{name}/" for name in inner if not is_hidden(name))]
    seen = 0
    for place in (top + below for top in tops for below in ("", f"exercises/{exercise}/")):
        folder = root / place
        if not folder.is_dir() or os.path.realpath(folder) != str(folder):
            continue
        for entry in _scan(folder):
            seen += 1
            if seen > MOST_MEMBERS:
                raise Refused(TOO_MANY)
            if not entry.is_dir(follow_symlinks=False):
                yield place + entry.name, folder / entry.name


def _scan(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from entries


def _open(path: Path) -> IO[bytes]:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        raise Refused(LINK)
    if not stat.S_ISREG(mode):
        raise Refused(UNKNOWN)
    return path.open("rb")


def _take(files: _OnDisk | Archive, exercise: Exercise, archives: int) -> Submission:
    """Take the exercise's files of the one place that holds them, or of an archive if none does."""
    listing = files.list()
    places = _places(listing.paths, exercise.id)
    holding = {place: found for place, names in places.items() if (found := names & {*exercise.files})}
    if not holding:
        inner = [place + name for place, names in places.items() for name in names if _is_packed(name)]
        if inner:
            return _take_inner(files, sorted(inner), exercise, archives)
        if not listing.paths and not listing.outside:
            raise Refused(EMPTY)
    place, notes = _choose(holding, exercise) if holding else (_likely(places), ())
    contents = files.read([place + name for name in holding.get(place, ())])
    submission = take(exercise, places.get(place, ()), _reader(contents, place))
    return replace(submission, notes=(*submission.notes, *notes, *_oddities(listing, place, exercise)))


def _places(paths: Collection[str], exercise: str) -> Mapping[str, set[str]]:
    """The names of the files in each place where an exercise's files may lie."""
    places: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        folder, slash, name = path.rpartition("/")
        top = f"/{folder}".removesuffix(f"/exercises/{exercise}").strip("/")
        if "/" not in top and not is_hidden(top):
            places[folder + slash].add(name)
    return places


def _is_packed(name: str) -> bool:
    return ARCHIVE.search(name) is not None and not is_hidden(name)


def _choose(holding: Mapping[str, set[str]], exercise: Exercise) -> tuple[str, tuple[str, ...]]:
    whole = [place for place, names in holding.items() if len(names) == len(exercise.files)]
    if len(holding) == 1:
        return next(iter(holding)), ()
    others = some([_said(place) for place in sorted(holding) if place not in whole])
    if len(whole) == 1:
        return whole[0], (f"taken from {_said(whole[0])}, which alone holds all files; others are in {others}",)
    places = some([_said(place) for place in sorted(holding)])
    raise Refused(f"holds files of the exercise in several places, {places}: leave them in one")


def _said(place: str) -> str:
    return repr(place.rstrip("/")) if place else "the top folder"


def _likely(places: Mapping[str, set[str]]) -> str:
    """Where the files would be that are missing: the first place with any Python file."""
    return next((place for place in sorted(places) if any(".py" in name.lower() for name in places[place])), "")


def _reader(contents: Mapping[str, bytes | Refused], place: str) -> Callable[[str], bytes]:
    def read(name: str) -> bytes:
        content = contents[place + name]
        if isinstance(content, Refused):
            raise content
        return content

    return read


def _oddities(listing: Listing, place: str, exercise: Exercise) -> Iterator[str]:
    for name in exercise.files:
        count = listing.paths.get(place + name, 0)
        if count > 1:
            yield f"{name} is in the archive {count} times: the last counts"
    outside = [path for path in listing.outside if path.replace("\\", "/").rpartition("/")[2] in exercise.files]
    if outside:
        verbs = ("leads", "is") if len(outside) == 1 else ("lead", "are")
        yield f"{some(list(map(repr, outside)))} {verbs[0]} out of the archive and {verbs[1]} not taken"


def _take_inner(files: _OnDisk | Archive, found: list[str], exercise: Exercise, archives: int) -> Submission:
    if len(found) > 1:
        shown = some(list(map(repr, found)))
        raise Refused(f"holds {len(found)} archives, {shown}, and no file of the exercise: pack one archive")
    if not archives:
        raise Refused(f"holds an archive in an archive in an archive, {found[0]!r}: pack the files themselves")
    with _open_inner(files, found[0]) as stream:
        archive = open_archive(stream)
        if archive is None:
            raise Refused(f"holds {found[0]!r}, which is no archive: hand in the files of the exercise")
        return _take(archive, exercise, archives - 1)


def _open_inner(files: _OnDisk | Archive, path: str) -> IO[bytes]:
    try:
        if isinstance(files, _OnDisk):
            return _open(files.files[path])
        content = files.read([path], LARGEST_INNER)[path]
        if isinstance(content, Refused):
            raise content
        return io.BytesIO(content)
    except Refused as error:
        raise Refused(f"holds {path!r}, which {error}") from None
