"""An engine on this machine: threads, each with a warm grader, whose processes do the work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Lock

from grader.course import Exercise
from grader.results import Planned
from grader.runner import Grader, GraderFault
from grader.runner.start import Processes, kill

from .engine import Done, Job, not_graded


class _Warm:
    """A grader that stays, and its processes."""

    def __init__(self, exercise: Exercise, processes: Processes, strict: bool) -> None:
        self._processes = processes
        self.grader = Grader(exercise, processes, strict=strict)

    def kill(self) -> None:
        """End the processes at once; a thread that waits for their answer gets a GraderFault."""
        kill(self._processes.trusted)
        kill(self._processes.zygote)

    def close(self) -> None:
        self.kill()
        self.grader.close()


class LocalEngine:
    """Grades submissions to one exercise side by side, on ``workers`` threads; close it, or use ``with``.

    A grader of which a job got no grade is replaced. The first one's ``processes`` may have been started before.
    ``strict`` as for ``Grader``.
    """

    def __init__(
        self,
        exercise: Exercise,
        processes: Processes | None = None,
        *,
        workers: int | None = None,
        strict: bool = False,
    ) -> None:
        self._exercise = exercise
        self._started = processes
        self._workers = workers or default_workers()
        self._strict = strict
        self._idle: SimpleQueue[_Warm] = SimpleQueue()
        self._running: set[_Warm] = set()
        self._closed = False
        self._lock = Lock()

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes at once, also in the middle of a job, and start no more."""
        with self._lock:
            self._closed = True
            for warm in self._running:
                warm.kill()
        while not self._idle.empty():
            self._drop(self._idle.get())

    def planned(self) -> tuple[Planned, ...]:
        """The criteria of the suite; GraderFault if it is at fault."""
        with self._grader() as grader:
            return grader.planned()

    def grade(self, jobs: Iterable[Job]) -> Iterator[Done]:
        """Yield one Done for each of ``jobs``, in the order in which they are done."""
        self.planned()
        source = iter(jobs)
        with ThreadPoolExecutor(self._workers) as pool:
            try:
                # Some more than there are threads, so that none waits for whoever takes the results.
                running = {pool.submit(self._grade, job) for job in islice(source, 2 * self._workers)}
                while running:
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    running |= {pool.submit(self._grade, job) for job in islice(source, len(ended))}
                    yield from (future.result() for future in ended)
            except BaseException:
                self.close()
                pool.shutdown(cancel_futures=True)
                raise

    def _grade(self, job: Job) -> Done:
        with suppress(GraderFault):
            return self._attempt(job)
        try:
            return self._attempt(job)
        except GraderFault as fault:
            return not_graded(job, fault)

    def _attempt(self, job: Job) -> Done:
        with self._grader() as grader:
            return Done(job.id, grader.grade(job.submission, seed=job.seed))

    @contextmanager
    def _grader(self) -> Iterator[Grader]:
        """A grader that nobody else uses, kept for others unless something goes wrong."""
        try:
            warm = self._idle.get_nowait()
        except Empty:
            warm = self._start()
        try:
            warm.grader.planned()  # A new one collects the suite first, which is no job's time.
            yield warm.grader
        except BaseException:
            self._drop(warm)
            raise
        self._idle.put(warm)

    def _start(self) -> _Warm:
        with self._lock:
            if self._closed:
                raise GraderFault("the engine was closed")
            try:
                processes, self._started = self._started or Processes(), None
                warm = _Warm(self._exercise, processes, self._strict)
            except OSError as error:
                raise GraderFault(f"no grader could be started: {error.strerror}") from None
            self._running.add(warm)
            return warm

    def _drop(self, warm: _Warm) -> None:
        with self._lock:
            self._running.remove(warm)
        warm.close()


def default_workers() -> int:
    """One for each processor that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
