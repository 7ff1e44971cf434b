"""Archives to test with, made when a test runs."""

from __future__ import annotations

import io
import tarfile
import warnings
import zipfile
from collections.abc import Iterable
from pathlib import Path

from grader.batch import HandedIn, read_handed_in
from grader.course import Course, Exercise
from grader.runner import Submission

KINDS = {"zip": ".zip", "": ".tar", "gz": ".tar.gz", "bz2": ".tar.bz2", "xz": ".tar.xz"}
PIECES = Course.find(Path(__file__).parents[1] / "cases" / "course").exercise("pieces")
NAMES = PIECES.files
ALL = [(name, name.encode()) for name in NAMES]


def pack(kind: str, members: Iterable[tuple[str | tarfile.TarInfo | zipfile.ZipInfo, bytes]]) -> bytes:
    """An archive of the kind that ``tarfile`` calls so, or a zip."""
    packed = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of names that are there already
            for name, content in members:
                assert not isinstance(name, tarfile.TarInfo)
                # Nothing that is packed already is packed again.
                stored = str(name).endswith(".tar")
                opened.writestr(name, content, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
        return packed.getvalue()
    with tarfile.open(fileobj=packed, mode=f"w:{kind}") as opened:  # type: ignore[call-overload]
        for name, content in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = info.size or len(content)
            opened.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def read(path: Path, exercise: Exercise = PIECES) -> Submission:
    return read_handed_in(HandedIn("ann", path.name, path), exercise)


def handed_in(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name
