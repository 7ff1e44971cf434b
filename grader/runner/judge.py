"""Judges the criteria of a submission, one case after the other, by what its functions do in a worker."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import pytest

from grader.authoring import plugin as authoring
from grader.authoring.criteria import Terms
from grader.authoring.signatures import Signature
from grader.limits import Limits
from grader.results import Criterion

from . import recorder
from .handle import WorkerFault
from .remote import Link, RemoteStudent
from .sources import is_unwritten

# What pytest calls the fixture of a parameter that no other fixture takes.
DIRECT = "get_direct_param_fixture_func"


@dataclass(frozen=True, slots=True)
class Group:
    """A criterion and its cases."""

    id: str
    terms: Terms
    items: tuple[pytest.Function, ...]


def missing_needs(group: Group, earned: set[str]) -> list[str]:
    """What keeps a criterion from being worth a try."""
    return [need for need in group.terms.needs if need not in earned]


def _is_hidden(group: Group) -> bool:
    return group.terms.visibility != "visible"


def needs_beyond(groups: Sequence[Group]) -> set[str]:
    """What criteria need that is not among them."""
    return {need for group in groups for need in group.terms.needs} - {group.id for group in groups}


def not_tried(group: Group, missing: Sequence[str], files: Mapping[str, bytes]) -> Criterion:
    """The result of a criterion that was not worth a try."""
    unwritten = is_unwritten(files, group.terms.function)
    return recorder.not_tried(group.id, group.terms, len(group.items), missing, unwritten)


class Judge:
    """The criteria of one submission, whose functions ``link`` calls."""

    def __init__(
        self,
        session: pytest.Session,
        link: Link,
        files: Mapping[str, bytes],
        signatures: Mapping[str, Signature],
        suite: Path,
        limits: Limits,
    ) -> None:
        self._stash = session.config.stash
        self._student = RemoteStudent(link)
        self._stash[authoring.STUDENT] = lambda: self._student
        self._link = link
        self._files = files
        self._signatures = signatures
        self._suite = suite
        self._limits = limits

    def judge(self, groups: Sequence[Group]) -> Iterator[Criterion]:
        """Judge these criteria, visible ones first. What they need beyond them counts as earned."""
        earned = needs_beyond(groups)
        # What a worker sees in a hidden criterion is never told in one that is shown. None of those needs a hidden one.
        ordered = sorted(groups, key=_is_hidden)
        for _, alike in groupby(ordered, lambda group: (_is_hidden(group), group.terms.function)):
            lost = False
            for group in alike:
                missing = missing_needs(group, earned)
                criterion = not_tried(group, missing, self._files) if missing else self._tried(group)
                if criterion.status == "passed":
                    earned.add(group.id)
                elif not missing:
                    lost = True
                yield criterion
            if lost:
                self._link.renew()  # What a function that is not right does to its worker costs no other.

    def _tried(self, group: Group) -> Criterion:
        outcomes: list[recorder.Outcome] = []
        for item in group.items:
            outcomes.append(self._case(item, group.terms))
            if outcomes[-1].status in ("todo", "timeout", "error"):
                break
        return recorder.summarize(group.id, group.terms, outcomes, len(group.items))

    def _case(self, item: pytest.Function, terms: Terms) -> recorder.Outcome:
        link = self._link
        link.begin_case()
        start = time.perf_counter()
        # Which case comes next depends on this one: tear down what the last left, and after this one only itself.
        item.session._setupstate.teardown_exact(item)
        error = _run(item, self._student)
        seconds = time.perf_counter() - start
        detail = self._stash.get(authoring.DETAIL, None)
        if authoring.DETAIL in self._stash:
            del self._stash[authoring.DETAIL]
        if error is None:
            return recorder.passed(seconds, detail, self._files)
        if isinstance(error, WorkerFault):
            raise error
        now = recorder.Circumstances(
            link.last_call,
            link.last_world_size,
            link.output(),
            self._files,
            self._signatures,
            self._suite,
            self._limits,
        )
        try:
            return recorder.outcome_of(error, seconds, terms, now)
        finally:
            error.__traceback__ = None  # Its frames lead back to it, and would keep the case's clusters.


def _run(item: pytest.Function, student: RemoteStudent) -> BaseException | None:
    """Run one case as pytest does, and return what it raised first.

    pytest's own protocol calls hooks around each step and makes a report of it, which costs more than most cases do.
    """
    raised: list[BaseException] = []
    state, around = item.session._setupstate, cast(pytest.Item, _Around(item))
    item.funcargs.update(_given(item, student))
    for steps in ((partial(state.setup, item), item.runtest), (partial(state.teardown_exact, around),)):
        try:
            for step in steps:
                step()
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:
            raised.append(error)
    # Forget what the fixtures gave, as pytest does: no case runs twice.
    item._request, item.funcargs = False, {}  # type: ignore[assignment]
    return raised[0] if raised else None


def _given(item: pytest.Function, student: RemoteStudent) -> dict[str, object]:
    """What pytest would make a fixture of, which takes longer than many a case: request, student, own parameters."""
    given: dict[str, object] = {"student": student} | (item.callspec.params if hasattr(item, "callspec") else {})
    fixtures = item._fixtureinfo.name2fixturedefs
    # Those of fixtures, and those that fixtures take in their place, are theirs to make.
    return {"request": item._request} | {
        name: value
        for name, value in given.items()
        if len(fixtures.get(name, ())) == 1 and fixtures[name][0].func.__name__ in ("student", DIRECT)
    }


class _Around:
    """Stands for the next item to come: whatever it is, it shares this item's parents as far as is known."""

    def __init__(self, item: pytest.Item) -> None:
        self._parents = item.listchain()[:-1]

    def listchain(self) -> list[Any]:
        return self._parents
