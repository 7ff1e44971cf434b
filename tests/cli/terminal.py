"""A real terminal for a command: what it shows, and somebody who types."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE, PAUSE = 60.0, 3.0
CTRL_C = b"\x03"


def _as_a_login_does() -> None:
    """Take the terminal, and heed Ctrl-C also where these tests run in the background, which does not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.login_tty(0)


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
        preexec_fn=_as_a_login_does,
    )
    os.close(theirs)
    written, shown, seen, waiting, key = b"", "", 0, list(typed), b""
    deadline = time.monotonic() + PATIENCE
    try:
        while (chunk := _read(ours)) != b"":
            assert time.monotonic() < deadline, f"nothing ends\n{shown}"
            if chunk is None:
                # A signal that comes just before Python waits for a line is seen at the next key only.
                os.write(ours, key if key == CTRL_C else b"")
                continue
            written += chunk
            shown = written.decode("utf-8", "ignore")
            while waiting and (place := shown.find(waiting[0][0], seen)) >= 0:
                prompt, answer = waiting.pop(0)
                seen, key = place + len(prompt), answer.encode()
                os.write(ours, key)
        assert not waiting, f"never shown: {waiting[0][0]!r}\n{shown}"
        return process.wait(PATIENCE), shown.replace("\r\n", "\n")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _read(terminal: int) -> bytes | None:
    """What was shown since; nothing when the command has ended, None when it says nothing for a while."""
    if not select.select([terminal], [], [], PAUSE)[0]:
        return None
    with contextlib.suppress(OSError):
        return os.read(terminal, 65536)
    return b""
