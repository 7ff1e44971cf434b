"""Writing files so that a reader sees the old content or the new, never half of it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click


def write_atomically(file: Path, content: bytes) -> None:
    """Write ``content`` to ``file``, making its folder if need be."""
    if file.exists() and not file.is_file():  # a device or a pipe, which nothing may take the place of
        file.write_bytes(content)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(name).chmod(_mode(file))
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def write_new(files: Mapping[Path, bytes]) -> None:
    """Write all of ``files`` as new files, making their folders, or none of them; a usage error if one cannot be."""
    written: list[Path] = []
    try:
        for file, content in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("xb") as stream:
                written.append(file)
                stream.write(content)
    except OSError as error:
        for done in written:
            with contextlib.suppress(OSError):
                done.unlink()
        raise click.UsageError(f"{error.filename or file} cannot be written: {error.strerror}.") from None


def write_report(file: Path, text: str) -> None:
    """Write what a user asked to have in ``file``, where links lead if it is one; a usage error if it cannot be."""
    try:
        write_atomically(real(file), text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise click.UsageError(f"{file} cannot be written: {error.strerror}.") from None


def require_folder(option: str, file: Path | None) -> None:
    """Refuse a ``file`` to write, given by ``option``, in a folder that does not exist."""
    if file is not None and not file.absolute().parent.is_dir():
        raise click.UsageError(f"{option}: the folder {file.parent} does not exist.")


def append_report(file: Path, text: str) -> None:
    """Add to ``file``, in which others write, too; a usage error if that cannot be."""
    try:
        with file.open("ab") as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise click.UsageError(f"{file} cannot be written: {error.strerror}.") from None


def nearest(path: Path, name: str) -> Path | None:
    """The nearest folder at or above ``path`` that has something called ``name``."""
    return next((folder for folder in (path, *path.parents) if (folder / name).exists()), None)


def real(file: Path) -> Path:
    """Where ``file`` leads."""
    return Path(os.path.realpath(file))


def _mode(file: Path) -> int:
    """The permissions that ``file`` has, or that a new file gets."""
    with contextlib.suppress(FileNotFoundError):
        return file.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
