"""What a learner handed in: only the files that the manifest names, as bytes that nothing here decodes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from grader.course import Exercise

LARGEST = 2**20
NAMED = 3


class SubmissionError(Exception):
    """A path that does not exist or cannot be read, so that there is nothing to grade."""


@dataclass(frozen=True, slots=True)
class Submission:
    """The files by the names of the manifest, the file that holds each function, and what was odd about them.

    A function without a home was not handed in.
    """

    files: Mapping[str, bytes]
    homes: Mapping[str, str]
    notes: tuple[str, ...] = ()


class Refused(Exception):
    """A file that is not taken, and why: what completes a sentence that begins with its name."""


def read_submission(path: Path, exercise: Exercise) -> Submission:
    """Take from ``path``, a folder or a single file, what ``exercise`` asks for.

    A single file of a name that the manifest does not know holds every function.
    """
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _read_folder(path, exercise)
    except FileNotFoundError:
        raise SubmissionError(f"{path} does not exist") from None
    except OSError as error:
        raise SubmissionError(f"{path} cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise SubmissionError(f"{path} is neither a folder nor a file")
    if path.suffix != ".py":
        raise SubmissionError(f"{path} is not a Python file: its name must end in .py")
    return _read_single(path, exercise)


def _read_single(path: Path, exercise: Exercise) -> Submission:
    try:
        return take_single(exercise, path.name, read_file(path))
    except Refused as error:
        raise SubmissionError(f"{path} {error}") from None


def _read_folder(folder: Path, exercise: Exercise) -> Submission:
    root = Path(os.path.realpath(folder))
    return take(exercise, (entry.name for entry in folder.iterdir()), lambda name: read_file(folder / name, root))


def take_single(exercise: Exercise, name: str, content: bytes) -> Submission:
    """Make a submission of one file, which holds every function if ``exercise`` knows no file of its name."""
    named = name in exercise.files
    return Submission(
        files={name: content},
        homes={function.name: name for function in exercise.functions if not named or function.file == name},
    )


def take(exercise: Exercise, present: Iterable[str], read: Callable[[str], bytes]) -> Submission:
    """Make a submission of those files among ``present`` that ``exercise`` asks for; ``read`` may raise Refused."""
    present = sorted(present)
    files: dict[str, bytes] = {}
    notes: list[str] = []
    for name in exercise.files:
        if name not in present:
            notes.append(_missing(name, [other for other in present if other not in exercise.files]))
            continue
        try:
            files[name] = read(name)
        except Refused as error:
            notes.append(f"{name} {error}")
    homes = {function.name: function.file for function in exercise.functions if function.file in files}
    return Submission(files, homes, tuple(notes))


def read_file(file: Path, root: Path | None = None) -> bytes:
    """Read a small file, which must lie in ``root`` wherever links lead; Refused if it is not taken."""
    try:
        if root is not None and not Path(os.path.realpath(file)).is_relative_to(root):
            raise Refused("is a link that leads out of the folder: put the file itself there")
        if not file.is_file():
            raise Refused("is not a file")
        with file.open("rb") as stream:
            return read_small(stream)
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}") from None


def read_small(stream: IO[bytes], largest: int = LARGEST) -> bytes:
    """Read all of ``stream``; Refused if that is more than ``largest``, by itself what a file may have."""
    content = stream.read(largest + 1)
    if len(content) > largest:
        raise Refused(f"is larger than {largest // 2**20} MiB")
    return content


def _missing(name: str, present: Iterable[str]) -> str:
    found = [other for other in present if _stem(other) == _stem(name)]
    if not found:
        return not_there(name)
    return f"expected {name}, found {some(list(map(repr, found)))}: rename it"


def some(names: Sequence[str]) -> str:
    """Names in a sentence; of very many, the first.

    >>> some(["'a'", "'b'"]), some(["'a'", "'b'", "'c'", "'d'"])
    ("'a' and 'b'", "'a' and 'b' and 'c' and 1 more")
    """
    more = len(names) - NAMED
    return " and ".join([*names[:NAMED], *([f"{more:,} more"] if more > 0 else [])])


def not_there(name: str) -> str:
    """What is noted of a file that was not handed in."""
    return f"expected {name}, which is not there"


def _stem(name: str) -> str:
    """What is left of a file name without what systems and people add to a copy.

    >>> [_stem(name) for name in ("shard (1).py", "Shard_final.PY", "shard.py.txt", "shard - Copy.py")]
    ['shard', 'shard', 'shard', 'shard']
    """
    stem, *endings = name.lower().split(".")
    if "py" not in endings:
        return ""
    stem = re.sub(r"\(\d+\)|\b(copy|of|copy of)\b", " ", stem.replace("_", " "))
    words = [word for word in re.split(r"[\s-]+", stem) if word]
    while len(words) > 1 and re.fullmatch(r"final|new|old|fixed|v?\d+", words[-1]):
        words.pop()
    return "_".join(words)
