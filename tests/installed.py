"""A wheel of a folder, and an environment with it that borrows its dependencies, so that no index is needed."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path


def checked(*arguments: str | Path) -> str:
    """What a process printed that must succeed."""
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def build_wheel(source: Path, folder: Path) -> Path:
    """Built by the backend that the development extra brings."""
    checked(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source)
    (built,) = folder.glob("*.whl")
    return built


def install(wheel: Path, folder: Path) -> Path:
    """The scripts of a new environment in ``folder`` with the wheel in it."""
    venv.create(folder, symlinks=os.name == "posix")
    paths = {
        name: Path(path) for name, path in sysconfig.get_paths("venv", {"base": folder, "platbase": folder}).items()
    }
    here = {sysconfig.get_paths()[name] for name in ("purelib", "platlib")}
    # A path in a .pth file is searched last, and .pth files found there, this project's own, count for nothing.
    (paths["purelib"] / "borrowed.pth").write_text("\n".join(sorted(here)))
    checked(
        sys.executable,
        "-m",
        "pip",
        "--python",
        paths["scripts"] / "python",
        "install",
        "--no-deps",
        "--no-index",
        wheel,
    )
    return paths["scripts"]


def run_installed(scripts: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``course`` as installed, in ``folder``, and without what this process knows of Python."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [scripts / "course", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
