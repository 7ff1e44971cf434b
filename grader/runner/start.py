"""Starts the grader's processes. Light: they import while the one that starts them finds out what it wants of them."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import IO

ENVIRONMENT = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
PATIENCE_SECONDS = 1.0


class Processes:
    """The trusted process, the zygote, the channel to the first, and the log of what they print.

    What they are for, an exercise, comes over the channel later. Close it, or use ``with``.
    """

    def __init__(self) -> None:
        self.in_use = False
        self.log = tempfile.TemporaryFile()  # noqa: SIM115
        self.channel, channel_end = socket.socketpair()
        control, control_end = socket.socketpair()
        trusted = {**os.environ, **ENVIRONMENT, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
        try:
            # The trusted process first: it takes longer to be ready.
            self.trusted = _spawn("trusted", trusted, self.log, channel_end, control)
            self.zygote = _spawn("zygote", ENVIRONMENT, self.log, control_end)
        finally:
            for end in (channel_end, control, control_end):
                end.close()

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes. Once in use they end by themselves, with all that they started."""
        self.channel.close()
        for process in (self.trusted, self.zygote):
            try:
                process.wait(PATIENCE_SECONDS if self.in_use else 0)
            except subprocess.TimeoutExpired:
                kill(process)
        self.log.close()


@contextlib.contextmanager
def only_a_zygote() -> Iterator[socket.socket]:
    """A zygote by itself, and the socket over which it is asked for workers."""
    control, control_end = socket.socketpair()
    with control, tempfile.TemporaryFile() as log:
        with control_end:
            zygote = _spawn("zygote", ENVIRONMENT, log, control_end)
        try:
            yield control
        finally:
            kill(zygote)


def _spawn(
    module: str, environment: Mapping[str, str], log: IO[bytes], *ends: socket.socket
) -> subprocess.Popen[bytes]:
    descriptors = [end.fileno() for end in ends]
    return subprocess.Popen(
        [sys.executable, "-s", "-P", "-m", f"{__package__}.{module}", *map(str, descriptors)],
        pass_fds=descriptors,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, and its group."""
    kill_group(process.pid)
    process.wait()


def kill_group(leader: int) -> None:
    """Kill the group of this process, if there is one."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
