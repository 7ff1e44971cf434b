"""How many device operations a suite issues on the reference, and what one costs: in process, streamed, awaited.

The suite is lesson 10's, or that of an exercise's folder named on the command line. The costs are those of the
exercise in ``course/``, whose criteria measure themselves.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from timing import print_table, scaled

from grader.authoring import plugin as authoring
from grader.course import Course, Exercise
from grader.devices import Cluster, NumpyBack
from grader.runner import Grader, read_submission

HERE = Path(__file__).parent
ACTS = ("create", "compute", "upload", "download", "show", "issue", "wait", "release")
MESSAGE = 64
PINGS = 20_000
ROUNDS = 3


class CountedClusters:
    """A pytest plugin: the suite's clusters count what comes to their backs."""

    def __init__(self) -> None:
        self.acts: Counter[str] = Counter()

    @pytest.fixture(scope="session")
    def cluster_of(self) -> Callable[..., Cluster]:
        return lambda world_size, **options: Cluster(world_size, back=self._back(), **options)

    def _back(self) -> NumpyBack:
        back = NumpyBack()
        for name in ACTS:
            setattr(back, name, self._counted(name, getattr(back, name)))
        return back

    def _counted(self, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any) -> Any:
            self.acts[name] += 1
            return act(*args)

        return counted


def count(exercise: Exercise) -> Counter[str]:
    """What the suite does on devices when the reference is graded, by kind of act."""
    counted = CountedClusters()
    arguments = ["-q", "-c", os.devnull, "--rootdir", str(exercise.suite), "-p", "no:cacheprovider"]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = pytest.main(
            [*arguments, "--exercise", str(exercise.folder), str(exercise.suite)], plugins=[authoring, counted]
        )
    if code != pytest.ExitCode.OK:
        raise RuntimeError(said.getvalue())
    return counted.acts


def costs() -> dict[str, dict[str, float]]:
    """Seconds a turn of each function of ``course/``, in process and streamed."""
    exercise = Course.read(HERE / "course" / "course.yml").exercise("operations")
    assert exercise.suite is not None
    with Grader(exercise) as grader:
        grade = grader.grade(read_submission(exercise.suite / "reference", exercise))
    return {criterion.function: json.loads(criterion.message or "") for criterion in grade.criteria}


def ping_pong() -> float:
    """Seconds for a message of 64 bytes to another process and back."""
    ours, theirs = socket.socketpair()
    message = bytes(MESSAGE)
    child = os.fork()
    if child == 0:
        ours.close()
        while theirs.recv(MESSAGE):
            theirs.sendall(message)
        os._exit(0)
    theirs.close()
    start = time.perf_counter()
    for _ in range(PINGS):
        ours.sendall(message)
        ours.recv(MESSAGE)
    seconds = time.perf_counter() - start
    ours.close()
    os.waitpid(child, 0)
    return seconds / PINGS


def print_count(exercise: Exercise) -> None:
    acts = count(exercise)
    rows = [[name, f"{acts[name]:,}"] for name in ACTS if acts[name]]
    print_table(f"{exercise.id}, the reference", ["operations", "number"], [*rows, ["all", f"{acts.total():,}"]])


def print_costs() -> None:
    pings, measured = [], []
    for _ in range(ROUNDS):
        pings.append(ping_pong())
        measured.append(costs())
    rows = []
    for name in measured[0]:
        local, streamed = (median(each[name][where] for each in measured) for where in ("local", "streamed"))
        rows.append([name, scaled(local), scaled(streamed), f"{streamed / local:.2f}"])
    print_table("A turn of each loop", ["", "in process", "streamed", "ratio"], rows)
    ping = median(pings)
    read = median(each["read"]["streamed"] for each in measured)
    rows = [[f"{MESSAGE} bytes there and back", scaled(ping), "1.00"], ["a read", scaled(read), f"{read / ping:.2f}"]]
    print_table("A read waits for its answer", ["between two processes", "time", "ratio"], rows)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else HERE.parent / "exercises" / "lesson10").resolve()
    print_count(Course.find(folder).exercise(folder.name))
    print_costs()


if __name__ == "__main__":
    main()
