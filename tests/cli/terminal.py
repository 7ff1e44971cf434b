"""A real terminal for a command: what it shows, and somebody who types."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE = 60.0


def in_terminal(
    arguments: Sequence[str],
    typed: Sequence[tuple[str, str]] = (),
    *,
    folder: Path,
    columns: int = 80,
    rows: int = 24,
    environment: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """Run ``course`` in a terminal; when a text of ``typed`` is shown, what is beside it is typed.

    Gives the exit code and all that was shown.
    """
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(ours, (rows, columns))
    settings = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PAGER", "LESS", "COLUMNS")
    }
    process = subprocess.Popen(
        [sys.executable, "-c", "from grader.cli import main; main()", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**settings, "TERM": "xterm-256color", **(environment or {})},
        preexec_fn=lambda: os.login_tty(0),
    )
    os.close(theirs)
    written, shown, seen, waiting = b"", "", 0, list(typed)
    deadline = time.monotonic() + PATIENCE
    try:
        while chunk := _read(ours, deadline):
            written += chunk
            shown = written.decode("utf-8", "ignore")
            if waiting and (place := shown.find(waiting[0][0], seen)) >= 0:
                prompt, answer = waiting.pop(0)
                seen = place + len(prompt)
                os.write(ours, answer.encode())
        assert not waiting, f"never shown: {waiting[0][0]!r}\n{shown}"
        return process.wait(PATIENCE), shown.replace("\r\n", "\n")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _read(terminal: int, deadline: float) -> bytes:
    """What was shown since; nothing when the command has ended."""
    left = deadline - time.monotonic()
    if not select.select([terminal], [], [], max(left, 0))[0]:
        raise AssertionError("nothing more is shown, and nothing ends")
    with contextlib.suppress(OSError):
        return os.read(terminal, 65536)
    return b""
