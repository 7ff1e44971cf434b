"""The committed goldens as frozen data. Needs NumPy alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .cases import CASES, Case, Host

GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True, slots=True)
class Collective:
    """All collectives of one kind in one phase of a step, as one rank sees them."""

    kind: str
    phase: str
    group_size: int
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Record:
    """One step of a case under one configuration of torch. README.md explains each field."""

    configuration: str
    case: Case
    world_size: int
    dtype: str
    rest: tuple[int, ...]
    collectives: tuple[Collective, ...]
    peak: Mapping[str, int] | None

    @property
    def id(self) -> str:
        """A name for a test."""
        return f"{self.configuration}-{self.case.name}-{self.dtype}-{self.world_size}"

    @property
    def weights(self) -> dict[str, Host]:
        """The whole weights after the step."""
        return self._numbers("weights")

    @property
    def gradients(self) -> dict[str, Host]:
        """The whole mean gradients, of those weights that have one."""
        return self._numbers("gradients")

    def sent(self, kind: str, phase: str | None = None) -> int:
        """Bytes that one rank sent in collectives of ``kind``."""
        return sum(each.bytes for each in self.collectives if each.kind == kind and phase in (None, each.phase))

    def count(self, kind: str, phase: str | None = None) -> int:
        """How many collectives of ``kind`` there were."""
        return sum(each.count for each in self.collectives if each.kind == kind and phase in (None, each.phase))

    def _numbers(self, which: str) -> dict[str, Host]:
        found = golden("numbers")[self.case.name][str(self.world_size)][which]
        return {name: np.array(rows, float) for name, rows in found.items()}


@cache
def golden(name: str) -> dict[str, Any]:
    """The content of ``golden/NAME.json``."""
    content: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text())
    return content


def records(configuration: str | None = None, case: str | None = None) -> tuple[Record, ...]:
    """The steps that torch took, those of one configuration or one case. Steps of fake ranks have no numbers."""
    return tuple(
        Record(
            configuration=each["configuration"],
            case=CASES[each["case"]],
            world_size=each["world_size"],
            dtype=each["dtype"],
            rest=tuple(each["rest"]),
            collectives=tuple(Collective(*entry) for entry in each["collectives"]),
            peak=each["peak"],
        )
        for each in (*golden("steps")["records"], *golden("peaks")["records"])
        if configuration in (None, each["configuration"]) and case in (None, each["case"])
    )


def assert_close(found: Host, expected: Host) -> None:
    """Numbers agree to 1e-6 of the largest, and of 1: what cancels in float32 keeps the error of what was added."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max(initial=1))
