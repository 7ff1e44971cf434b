"""The trusted process: pytest, the hidden suite and the verdict. No learner's code ever runs here.

It collects the suite once and then grades submissions, each in a fork of itself, with a worker of its own.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import socket
import sys
import time
import traceback
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from grader.authoring import plugin as authoring
from grader.authoring.criteria import ATTRIBUTE, Terms, criterion_id
from grader.authoring.signatures import Signature, read_signatures
from grader.devices import operations
from grader.results import Criterion, to_plain

from . import recorder
from .fences import Limits
from .remote import Link, RemoteStudent, Setup, WorkerFault
from .sources import is_unwritten

# pytest's own plugins that only cost time where nothing is printed.
UNUSED = (
    "terminal",
    "cacheprovider",
    "logging",
    "capture",
    "doctest",
    "junitxml",
    "pastebin",
    "faulthandler",
    "unraisableexception",
    "threadexception",
    "warnings",
    "stepwise",
    "setuponly",
    "setupplan",
    "debugging",
    "skipping",
)


ALIVE_SECONDS = 0.5


class SuiteFault(Exception):
    """The suite or its manifest is wrong: there is no score."""

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line


@dataclass(frozen=True, slots=True)
class Group:
    """A criterion and its cases."""

    id: str
    terms: Terms
    items: tuple[pytest.Function, ...]


class Channel:
    """Messages to and from the process that asked for grading: a line of JSON each."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lines = connection.makefile("rb")
        self._last = time.monotonic()

    def receive(self) -> dict[str, Any] | None:
        line = self._lines.readline()
        return json.loads(line) if line else None

    def send(self, event: str, **content: Any) -> None:
        self._connection.sendall(json.dumps({"event": event} | content).encode() + b"\n")
        self._last = time.monotonic()

    def keep_alive(self) -> None:
        """Say that work goes on, where nothing was said for a while."""
        if time.monotonic() - self._last > ALIVE_SECONDS:
            self.send("alive")


class Grading:
    """The pytest plugin that grades."""

    def __init__(self, exercise: Mapping[str, Any], channel: Channel, control: socket.socket) -> None:
        self._exercise = exercise
        self._channel = channel
        self._control = control
        self._link: Link | None = None
        self.fault: SuiteFault | None = None
        self._signatures: Mapping[str, Signature] = {}

    def pytest_configure(self, config: pytest.Config) -> None:
        reference = Path(self._exercise["suite"]) / "reference"
        self._signatures = read_signatures(reference) if reference.is_dir() else {}
        config.stash[authoring.STUDENT] = self._student

    def _student(self) -> RemoteStudent:
        assert self._link is not None
        return RemoteStudent(self._link)

    def pytest_exception_interact(self, call: pytest.CallInfo[Any], report: object) -> None:
        if isinstance(report, pytest.CollectReport) and call.excinfo is not None and self.fault is None:
            self.fault = _collection_fault(call.excinfo.value, Path(self._exercise["suite"]))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self.fault is None:
            try:
                groups = self._groups(session.items)
            except SuiteFault as fault:
                self.fault = fault
        if self.fault is not None:
            return True
        _prepare()
        self._channel.send("ready")
        while (job := self._channel.receive()) is not None:
            process = os.fork()
            if process == 0:
                self._grade_and_exit(session, groups, job)
            self._channel.send("done", status=os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
        return True

    def _grade_and_exit(self, session: pytest.Session, groups: Sequence[Group], job: Mapping[str, Any]) -> None:
        code = 0
        try:
            self._grade(session, groups, job)
        except BaseException as error:
            code = 1
            report_fault(self._channel, error, Path(self._exercise["suite"]))
        finally:
            os._exit(code)

    # Criteria

    def _groups(self, items: Sequence[pytest.Item]) -> tuple[Group, ...]:
        order = {function["name"]: place for place, function in enumerate(self._exercise["functions"])}
        found: dict[str, tuple[Terms, list[pytest.Function]]] = {}
        names: dict[str, Any] = {}
        for item in items:
            assert isinstance(item, pytest.Function)
            terms = getattr(item.function, ATTRIBUTE, None)
            place = str(item.path), item.function.__code__.co_firstlineno
            if terms is None:
                raise SuiteFault(f"{item.originalname} has no @criterion", *place)
            if terms.function not in order:
                raise SuiteFault(f"the manifest has no function {terms.function}", *place)
            identity = criterion_id(terms.function, item.originalname)
            if names.setdefault(identity, item.function) is not item.function:
                raise SuiteFault(f"two criteria have the id {identity}", *place)
            found.setdefault(identity, (terms, []))[1].append(item)
        groups = [Group(identity, terms, tuple(cases)) for identity, (terms, cases) in found.items()]
        groups.sort(key=lambda group: order[group.terms.function])
        self._check(groups)
        return tuple(groups)

    def _check(self, groups: Sequence[Group]) -> None:
        if not groups:
            raise SuiteFault("the suite has no criteria", self._exercise["suite"])
        earlier: set[str] = set()
        for group in groups:
            item = group.items[0]
            missing = [need for need in group.terms.needs if need not in earlier]
            if missing:
                text = f"{group.id} needs {', '.join(missing)}, which no criterion before it is"
                raise SuiteFault(text, str(item.path), item.function.__code__.co_firstlineno)
            earlier.add(group.id)
        for function in self._exercise["functions"]:
            mine = (group.terms.points for group in groups if group.terms.function == function["name"])
            points = sum(mine, Decimal(0))
            if points != Decimal(function["points"]):
                text = f"{function['name']} has {function['points']} points in the manifest; its criteria have {points}"
                raise SuiteFault(text, self._exercise["manifest"], function["line"])

    # One submission

    def _grade(self, session: pytest.Session, groups: Sequence[Group], job: Mapping[str, Any]) -> None:
        files = {name: b64decode(content) for name, content in job["files"].items()}
        limits = self._exercise["limits"]
        setup = Setup(
            files=files,
            homes=job["homes"],
            given={name: Path(path).read_bytes() for name, path in self._exercise["given"].items()},
            imports=self._exercise["imports"],
            seconds=limits["seconds"],
            output_bytes=limits["output_kb"] * 1024,
            limits=Limits(memory=limits["memory_mb"] * 2**20),
        )
        session.config.stash[authoring.SEED] = job["seed"]
        self._link = link = Link(self._control, setup, self._signatures, self._channel.keep_alive)
        try:
            link.start()
            only = job["only"]
            shown = sum(not only or group.terms.function in only for group in groups)
            for criterion in self._results(_closure(groups, only), link, files):
                if not only or criterion.function in only:
                    self._channel.send("criterion", criterion=to_plain(criterion), total=shown)
            self._channel.send("graded", fences=list(link.fences))
        finally:
            link.close()

    def _results(self, groups: Sequence[Group], link: Link, files: Mapping[str, bytes]) -> Iterator[Criterion]:
        earned: set[str] = set()
        for group in groups:
            missing = [need for need in group.terms.needs if need not in earned]
            if missing:
                unwritten = is_unwritten(files, group.terms.function)
                yield recorder.not_tried(group.id, group.terms, len(group.items), missing, unwritten)
                continue
            outcomes: list[recorder.Outcome] = []
            for item in group.items:
                outcome = self._case(item, group.terms, link, files)
                outcomes.append(outcome)
                if outcome.status in ("todo", "timeout", "error"):
                    break
            criterion = recorder.summarize(group.id, group.terms, outcomes, len(group.items))
            if criterion.status == "passed":
                earned.add(group.id)
            yield criterion

    def _case(self, item: pytest.Function, terms: Terms, link: Link, files: Mapping[str, bytes]) -> recorder.Outcome:
        link.begin_case()
        start = time.perf_counter()
        # Which case comes next depends on this one: tear down what the last left, and after this one only itself.
        item.session._setupstate.teardown_exact(item)
        error = _run(item)
        stash = item.config.stash
        now = recorder.Circumstances(
            link.last_call,
            link.last_world_size,
            link.output(),
            stash.get(authoring.DETAIL, None),
            files,
            self._signatures,
            Path(self._exercise["suite"]),
        )
        if authoring.DETAIL in stash:
            del stash[authoring.DETAIL]
        if isinstance(error, WorkerFault):
            raise error
        return recorder.outcome_of(error, time.perf_counter() - start, terms, now)


def _run(item: pytest.Function) -> BaseException | None:
    """Run one case as pytest does, and return what it raised first.

    pytest's own protocol makes a report of each step, which costs more than most cases do.
    """
    raised: list[BaseException] = []
    hook = item.ihook
    for steps in (
        (partial(hook.pytest_runtest_setup, item=item), partial(hook.pytest_runtest_call, item=item)),
        (partial(hook.pytest_runtest_teardown, item=item, nextitem=_Around(item)),),
    ):
        try:
            for step in steps:
                step()
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:
            raised.append(error)
    item._initrequest()  # Forget what the fixtures gave.
    return raised[0] if raised else None


def _prepare() -> None:
    """Do once, before submissions are forked off, what each of them would do."""
    # NumPy loads these when they are first used.
    importlib.import_module("numpy.ma")
    importlib.import_module("numpy.random")
    operations.table()
    gc.collect()
    gc.freeze()


class _Around:
    """Stands for the next item to come: whatever it is, it shares this item's parents as far as is known."""

    def __init__(self, item: pytest.Item) -> None:
        self._parents = item.listchain()[:-1]

    def listchain(self) -> list[Any]:
        return self._parents


def _closure(groups: Sequence[Group], only: Sequence[str]) -> tuple[Group, ...]:
    """The criteria of the functions in ``only``, or all, with those that they need."""
    if not only:
        return tuple(groups)
    wanted: set[str] = set()
    for group in reversed(groups):
        if group.terms.function in only or group.id in wanted:
            wanted |= {group.id, *group.terms.needs}
    return tuple(group for group in groups if group.id in wanted)


def _collection_fault(error: BaseException, suite: Path) -> SuiteFault:
    """What keeps the suite from being collected, at the author's line."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, SyntaxError):
        return SuiteFault(f"SyntaxError: {error.msg}", error.filename, error.lineno)
    place = recorder.suite_place(error, suite)
    text = f"{type(error).__name__}: {error}"
    return SuiteFault(text, place.file if place else None, place.line if place else None)


def report_fault(channel: Channel, error: BaseException, suite: Path) -> None:
    """Say that the suite or the grader is at fault, and where."""
    if isinstance(error, SuiteFault):
        channel.send("fault", message=error.message, file=error.file, line=error.line, detail=None)
        return
    place = recorder.suite_place(error, suite)
    channel.send(
        "fault",
        message=f"{type(error).__name__}: {error}",
        file=place.file if place else None,
        line=place.line if place else None,
        detail="".join(traceback.format_exception(error)),
    )


def main() -> None:
    """Serve grading jobs: the descriptors of channel and control socket are the two arguments."""
    channel = Channel(socket.socket(fileno=int(sys.argv[1])))
    control = socket.socket(fileno=int(sys.argv[2]))
    exercise = channel.receive()
    if exercise is None:
        return
    suite = exercise["suite"]
    grading = Grading(exercise, channel, control)
    try:
        authoring.load_given([Path(path) for path in exercise["given"].values()])
        arguments = [suite, "-c", os.devnull, "--rootdir", suite, "--confcutdir", suite, "--assert=plain"]
        for name in UNUSED:
            arguments += ["-p", f"no:{name}"]
        code = pytest.main(arguments, plugins=[authoring, grading])
        if grading.fault is not None:
            raise grading.fault
        if code != pytest.ExitCode.OK:
            raise SuiteFault(f"pytest could not collect the suite ({code!r})", suite)
    except BaseException as error:
        report_fault(channel, error, Path(suite))


if __name__ == "__main__":
    main()
