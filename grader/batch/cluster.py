"""An engine on more machines: a Dask cluster that the user runs, whose workers have the course installed."""

from __future__ import annotations

import asyncio
import logging
import pkgutil
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import grader
from grader.course import Exercise
from grader.results import Planned, grade_from_plain
from grader.runner import GraderFault

from .engine import Done, EngineError, Job, not_graded
from .kit import Kit, Plain, pack, plain_job

if TYPE_CHECKING:
    from distributed import Client, Future

EXTRA = "grading on more machines needs distributed: pip install 'sharded-training-course[distributed]'"
CONNECT_SECONDS = 15.0
LOOK_SECONDS = 5.0
# One is graded while the next is on its way.
JOBS_A_THREAD = 2


class ClusterEngine:
    """Grades submissions to one exercise on the workers of a Dask scheduler; close it, or use ``with``.

    Without workers it says so to ``notice``, and waits for so many seconds of ``patience`` before an EngineError.
    ``strict`` as for ``Grader``.
    """

    def __init__(
        self,
        address: str,
        exercise: Exercise,
        *,
        strict: bool = False,
        patience: float = 300.0,
        notice: Callable[[str], object] = lambda text: None,
    ) -> None:
        self._address = address
        self._patience = patience
        self._notice = notice
        self._checked: set[str] = set()
        contents = pack(exercise, strict=strict)
        self._client = _connect(address)
        try:
            self._expect_workers()
            self._room()
            self._kit = self._submit(Kit, contents)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ClusterEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster, which then drops all that this engine had there."""
        self._client.close()

    def planned(self) -> tuple[Planned, ...]:
        """The criteria of the suite; GraderFault if it is at fault."""
        future = self._submit(_planned, self._kit)
        self._wait_for_any([future])
        answer = self._answer(future)
        if answer is None or "failed" in answer:
            raise GraderFault(answer["failed"] if answer else "the workers that collected the suite died")
        return tuple(Planned(**each) for each in answer["planned"])

    def grade(self, jobs: Iterable[Job]) -> Iterator[Done]:
        """Yield one Done for each of ``jobs``, in the order in which they are done.

        Dask gives a job whose worker died to another. Of which several died is graded last and alone, so that it
        takes no other with it.
        """
        self.planned()
        deadly: list[Job] = []
        for job, done in self._grade(jobs):
            if done is None:
                deadly.append(job)
            else:
                yield done
        for job in deadly:
            for _, done in self._grade([job]):
                yield done or not_graded(job, GraderFault("the workers that graded it died"))

    def _grade(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Done | None]]:
        """Yield each job with what came of it, None if its workers died."""
        source = iter(jobs)
        running: dict[Future[Plain], Job] = {}
        while True:
            for job in islice(source, max(self._room() - len(running), 0)):
                running[self._submit(_grade, self._kit, plain_job(job))] = job
            if not running:
                return
            for future in self._wait_for_any(running):
                job = running.pop(future)
                answer = self._answer(future)
                yield job, None if answer is None else _done(job, answer)

    # The cluster

    def _submit(self, function: Callable[..., Any], *arguments: object) -> Future[Plain]:
        # A key of its own: Dask gives what it has under a key to everybody who asks for that.
        key = f"course-{function.__name__}-{uuid4()}"
        with self._explained():
            return self._client.submit(function, *arguments, key=key, pure=False, retries=1)

    def _room(self) -> int:
        """How many jobs there may be at once; more when workers have joined."""
        with self._explained():
            threads: dict[str, int] = self._client.nthreads()
        if not threads.keys() <= self._checked:
            self._expect_this_version()
            self._checked |= threads.keys()
        return max(JOBS_A_THREAD * sum(threads.values()), 1)

    def _wait_for_any(self, futures: Collection[Future[Plain]]) -> Collection[Future[Plain]]:
        from distributed import wait

        while True:
            try:
                with self._explained(), self._client.as_current():
                    ended = wait(list(futures), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
                return set(ended.done)
            except TimeoutError:
                self._expect_workers()

    def _answer(self, future: Future[Plain]) -> Plain | None:
        """What a worker answered, or why it failed; None if all that were asked died."""
        from distributed import KilledWorker

        try:
            with self._explained():
                answer: Plain = future.result(timeout=self._patience)
        except TimeoutError:
            raise EngineError(f"a result was lost, and did not come again in {self._patience:g} s") from None
        except GraderFault:
            raise
        except Exception as error:
            error.__traceback__ = None  # The future keeps the error, which would keep the frames that hold the future.
            if isinstance(error, KilledWorker):
                return None
            self._expect_this_version()
            return {"failed": str(error)}
        if "fault" in answer:
            raise GraderFault(*answer["fault"])
        return answer

    def _expect_workers(self) -> None:
        with self._explained():
            if self._client.nthreads():
                return
            self._notice(f"No worker at {self._address}: waiting for one for up to {self._patience:g} s.")
            try:
                self._client.wait_for_workers(1, timeout=self._patience)
            except TimeoutError:
                text = f"no worker came to the scheduler at {self._address} in {self._patience:g} s: start some"
                raise EngineError(text) from None

    def _expect_this_version(self) -> None:
        """Ask scheduler and workers, in words that a machine without the course understands, too."""
        question = pkgutil.resolve_name, "grader:__version__"
        with self._explained():
            found = {f"worker {each}": got for each, got in self._client.run(*question, on_error="return").items()}
            try:
                found[f"the scheduler at {self._address}"] = self._client.run_on_scheduler(*question)
            except (ImportError, AttributeError) as error:
                found[f"the scheduler at {self._address}"] = error
        own = grader.__version__
        other = {
            where: "no course" if isinstance(got, Exception) else f"course {got}"
            for where, got in found.items()
            # A worker that cannot be asked has died, which is no matter of versions.
            if got != own and not isinstance(got, OSError)
        }
        if other:
            having = "; ".join(f"{where} has {what}" for where, what in other.items())
            raise EngineError(f"{having}; this is {own}: install sharded-training-course {own} there")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say that the scheduler is gone, where that is what an error means."""
        text = f"the connection to the scheduler at {self._address} was lost; what was graded until then is kept"
        # A client that has lost it gives up its tasks at once, and then waits for another scheduler.
        if self._client.status != "running":
            raise EngineError(text)
        try:
            yield
        except TimeoutError:
            raise
        except (OSError, CancelledError):
            raise EngineError(text) from None


def _connect(address: str) -> Client:
    try:
        from distributed import Client
    except ImportError:
        raise EngineError(EXTRA) from None
    # What it would log with tracebacks is said in words here.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    try:
        asyncio.run(_reach(address))
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except TimeoutError:
        reason = f"it did not answer in {CONNECT_SECONDS:g} s"
    except (OSError, ValueError, TypeError) as error:
        reason = str(error)
    raise EngineError(f"no Dask scheduler can be reached at {address}: {reason}")


async def _reach(address: str) -> None:
    """Ask a scheduler who it is. A client would wait without end for what is none."""
    from distributed import Security, rpc

    async with (
        asyncio.timeout(CONNECT_SECONDS),
        rpc(address, connection_args=Security().get_connection_args("client")) as scheduler,
    ):
        kind = (await scheduler.identity())["type"]
    if kind != "Scheduler":
        raise ValueError(f"a {kind.lower()} of Dask listens there")


def _done(job: Job, answer: Plain) -> Done:
    if "failed" in answer:
        return not_graded(job, GraderFault(answer["failed"]))
    grade = answer["grade"]
    return Done(job.id, grade and grade_from_plain(grade), answer["reason"])


# On a worker


def _planned(kit: Kit) -> Plain:
    return kit.planned(_folder())


def _grade(kit: Kit, job: Plain) -> Plain:
    return kit.grade(job, _folder())


def _folder() -> Path:
    """The worker's own, which Dask removes, also after a worker that was killed."""
    from distributed import get_worker

    return Path(get_worker().local_directory)
