"""The trusted process: pytest, the hidden suite and the verdict. No learner's code ever runs here.

It collects the suite once and then grades submissions, each in a fork of itself that has a channel of its own.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import socket
import sys
import traceback
from base64 import b64decode
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from grader.authoring import plugin as authoring
from grader.authoring.criteria import ATTRIBUTE, Terms, criterion_id
from grader.authoring.signatures import Signature, read_signatures
from grader.devices import operations
from grader.limits import Limits
from grader.results import Visibility, to_plain

from . import recorder
from .channel import Channel, Message
from .handle import Setup, WorkerFault
from .judge import Group, Judge
from .parts import SILENCE_SECONDS, PartFault, closure, put_together, serve, side_by_side, split
from .remote import Link

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

# Cycles hold no array's values, and most of what a submission makes here is kept until its end: looking for them as
# often as Python does by itself takes a fifteenth of the time.
MADE_BETWEEN_LOOKS = 20_000


class SuiteFault(Exception):
    """The suite or its manifest is wrong: there is no score."""

    def __init__(self, message: str, file: str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line


class Grading:
    """The pytest plugin that grades."""

    def __init__(self, exercise: Mapping[str, Any], connection: socket.socket, control: socket.socket) -> None:
        self._exercise = exercise
        self._connection = connection
        self._control = control
        self.fault: SuiteFault | None = None
        self._signatures: Mapping[str, Signature] = {}

    def pytest_configure(self, config: pytest.Config) -> None:
        # The learners' edition has no reference; `course audit` holds the stubs to its parameters.
        reference = Path(self._exercise["suite"]) / "reference"
        self._signatures = read_signatures(reference if reference.is_dir() else Path(self._exercise["pristine"]))

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
        Channel(self._connection).send("ready", criteria=[_planned(group) for group in groups])
        serve(self._connection, partial(self._answer, session, groups))
        return True

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
        earlier: dict[str, Visibility] = {}
        for group in groups:
            item = group.items[0]
            place = str(item.path), item.function.__code__.co_firstlineno
            missing = [need for need in group.terms.needs if need not in earlier]
            if missing:
                raise SuiteFault(f"{group.id} needs {', '.join(missing)}, which no criterion before it is", *place)
            unseen = [need for need in group.terms.needs if earlier[need] != "visible"]
            if unseen and group.terms.visibility == "visible":
                text = f"{group.id} is visible and needs {', '.join(unseen)}, which is not: a learner could not see why"
                raise SuiteFault(f"{text} it is blocked", *place)
            earlier[group.id] = group.terms.visibility
        for function in self._exercise["functions"]:
            mine = (group.terms.points for group in groups if group.terms.function == function["name"])
            points = sum(mine, Decimal(0))
            if points != Decimal(function["points"]):
                text = f"{function['name']} has {function['points']} points in the manifest; its criteria have {points}"
                raise SuiteFault(text, self._exercise["manifest"], function["line"])

    # One submission

    def _answer(self, session: pytest.Session, groups: Sequence[Group], channel: Channel) -> None:
        channel.send("begun", process=os.getpid())
        job = channel.receive()
        if job is not None:
            try:
                self._grade(session, groups, job, channel)
            except PartFault as error:
                channel.send(**fault_message(error, Path(self._exercise["suite"])))

    def _grade(self, session: pytest.Session, groups: Sequence[Group], job: Message, channel: Channel) -> None:
        only = job["only"]
        setup = self._setup(job)
        wanted = closure(groups, only, job["known"])
        total = sum(not only or group.terms.function in only for group in wanted)
        grade = partial(self._grade_part, session, setup, job["seed"])
        results: dict[str, Message] = {}
        fences: Message = {}
        silence = SILENCE_SECONDS + setup.limits.wall_seconds
        with contextlib.closing(side_by_side(split(wanted), grade, silence, channel)) as messages:
            for message in messages:
                channel.keep_alive()
                match message["event"]:
                    case "judged" if job["progress"] and (not only or message["function"] in only):
                        channel.send(**message, total=total)
                    case "graded":
                        results |= {criterion["id"]: criterion for criterion in message["criteria"]}
                        fences = {"fences": message["fences"], "missing_fences": message["missing_fences"]}
                    case "fault":
                        channel.send(**message)
                        return
        judged = put_together(wanted, results, setup.files)
        shown = [criterion for criterion in judged if not only or criterion["function"] in only]
        channel.send("done", criteria=shown, **fences)

    def _grade_part(
        self,
        session: pytest.Session,
        setup: Setup,
        seed: int,
        groups: Sequence[Group],
        keep_alive: Callable[[], None],
    ) -> Generator[Message]:
        suite = Path(self._exercise["suite"])
        criteria = []
        try:
            session.config.stash[authoring.SEED] = seed
            with contextlib.closing(Link(self._control, setup, self._signatures, keep_alive)) as link:
                link.start()
                judge = Judge(session, link, setup.files, self._signatures, suite, setup.limits)
                for criterion in judge.judge(groups):
                    criteria.append(to_plain(criterion))
                    yield {"event": "judged", "function": criterion.function}
                missing = [asdict(each) for each in link.missing_fences]
                yield {"event": "graded", "criteria": criteria, "fences": link.fences, "missing_fences": missing}
        except GeneratorExit:
            raise
        except BaseException as error:
            yield fault_message(error, suite)

    def _setup(self, job: Message) -> Setup:
        return Setup(
            files={name: b64decode(content) for name, content in job["files"].items()},
            homes=job["homes"],
            given={name: Path(path).read_bytes() for name, path in self._exercise["given"].items()},
            imports=self._exercise["imports"],
            limits=Limits(**self._exercise["limits"]),
            strict=self._exercise["strict"],
            require_fences=self._exercise["require_fences"],
        )


def _planned(group: Group) -> Message:
    terms = group.terms
    return {
        "id": group.id,
        "function": terms.function,
        "title": terms.title,
        "points": str(terms.points),
        "visibility": terms.visibility,
    }


def _prepare() -> None:
    """Do once, before submissions are forked off, what each of them would do."""
    # NumPy loads these when they are first used.
    importlib.import_module("numpy.ma")
    importlib.import_module("numpy.random")
    operations.table()
    gc.collect()
    gc.freeze()
    gc.set_threshold(MADE_BETWEEN_LOOKS)


def _collection_fault(error: BaseException, suite: Path) -> SuiteFault:
    """What keeps the suite from being collected, at the author's line."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, SyntaxError):
        return SuiteFault(f"SyntaxError: {error.msg}", error.filename, error.lineno)
    place = recorder.suite_place(error, suite)
    text = f"{type(error).__name__}: {error}"
    return SuiteFault(text, place.file if place else None, place.line if place else None)


def fault_message(error: BaseException, suite: Path) -> Message:
    """What says that the suite or the grader is at fault, and where."""
    message: Message = {"event": "fault", "message": str(error), "file": None, "line": None, "detail": None}
    if isinstance(error, SuiteFault):
        return message | {"file": error.file, "line": error.line}
    if isinstance(error, (PartFault, WorkerFault)):
        return message
    place = recorder.suite_place(error, suite)
    return message | {
        "message": f"{type(error).__name__}: {error}",
        "file": place.file if place else None,
        "line": place.line if place else None,
        "detail": "".join(traceback.format_exception(error)),
    }


def main() -> None:
    """Serve grading jobs: the arguments are the descriptors of the connection and of the control socket."""
    connection, control = (socket.socket(fileno=int(each)) for each in sys.argv[1:])
    exercise = Channel(connection).receive()
    if exercise is None:
        return
    suite = exercise["suite"]
    grading = Grading(exercise, connection, control)
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
        Channel(connection).send(**fault_message(error, Path(suite)))


if __name__ == "__main__":
    main()
