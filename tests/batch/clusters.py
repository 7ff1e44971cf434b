"""A Dask scheduler and its workers, as processes of their own on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

LOOPBACK = ("--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")


class Cluster:
    """A scheduler, and workers as they are asked for; all end with ``with``."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self._options = options
        self._processes: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        # Dask gives a task up as soon as a worker dies of it, not after three more.
        failures = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(file), environment=failures)
        while not file.is_file() or not file.read_text():
            assert self.scheduler.poll() is None, (folder / "log").read_text()
            time.sleep(0.05)
        self.address: str = json.loads(file.read_text())["address"]

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._processes:
            self.end(process)

    def start_workers(self, *options: str, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a process that has workers, each with one thread."""
        own = ("--nthreads", "1", "--local-directory", str(self.folder))
        return self._start("worker", self.address, *own, *options, environment=environment or {})

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Kill one of the processes, and what is in its group."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def kits(self) -> list[Path]:
        """The folders of kits on the workers."""
        return list(self.folder.glob("dask-scratch-space/*/course-*"))

    def _start(self, kind: str, *options: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                # The folder that the tests are run in is on no other machine's path.
                [sys.executable, "-P", "-m", "dask", kind, *LOOPBACK, *self._options, *options],
                env={**os.environ, **environment},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return process
