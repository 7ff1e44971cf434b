"""An engine on this machine: threads that share a warm grader, whose processes do the work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from threading import Lock

from grader.course import Exercise
from grader.results import Planned
from grader.runner import Grader, GraderFault
from grader.runner.start import Processes

from .engine import Done, Job, not_graded


class LocalEngine:
    """Grades submissions to one exercise side by side, on ``workers`` threads; close it, or use ``with``.

    A grader that is gone is replaced. The first one's ``processes`` may have been started before. ``strict`` as for
    ``Grader``.
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
        self._processes = processes
        self._workers = workers or default_workers()
        self._strict = strict
        self._grader: Grader | None = None
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
            self._drop()

    def planned(self) -> tuple[Planned, ...]:
        """The criteria of the suite; GraderFault if it is at fault."""
        return self._alive().planned()

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
        grader = self._alive()
        grader.planned()  # A new one collects the suite first, which is no job's time.
        return Done(job.id, grader.grade(job.submission, seed=job.seed))

    def _alive(self) -> Grader:
        """The grader, or a new one if its processes are gone."""
        with self._lock:
            if self._closed:
                raise GraderFault("the engine was closed")
            if self._grader is not None and not self._grader.is_alive():
                self._drop()
            if self._grader is None:
                try:
                    self._processes = self._processes or Processes()
                    self._grader = Grader(self._exercise, self._processes, strict=self._strict)
                except OSError as error:
                    raise GraderFault(f"no grader could be started: {error.strerror}") from None
            return self._grader

    def _drop(self) -> None:
        """End the grader's processes; a thread that waits for their answer gets a GraderFault."""
        held = self._grader or self._processes
        if held is not None:
            held.close()
        self._grader = self._processes = None


def default_workers() -> int:
    """One more than there are processors that this process may use, for each waits now and then."""
    return 1 + (len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1)
