"""The header of a hostile submission: comments at the top of the file, which say what must come of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from grader.results import DEFAULT_SEED, STATUSES, Status

KEYS = ("technique", "replaces", "expect", "says", "needs", "bites", "seed", "defect")
ONCE = ("technique", "replaces")


class HeaderError(Exception):
    """A header that cannot be held to anything."""


@dataclass(frozen=True)
class Header:
    """What a file does and what must come of it.

    ``replaces`` names the function's file it stands for, or is ``all`` where it holds every function. ``expect`` is
    pairs of a pattern of criterion ids and their status; every other criterion passes. ``says`` are texts of the
    report, ``needs`` the fences it is contained by, ``bites`` what it does where there is no fence, ``seed`` is the
    seed that it is graded with, ``defect`` what the grader does wrong with it so far.
    """

    technique: str
    replaces: str
    expect: tuple[tuple[str, Status], ...]
    says: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    bites: tuple[str, ...] = ()
    seed: int = DEFAULT_SEED
    defect: str | None = None

    def statuses(self, criteria: Sequence[str]) -> dict[str, Status]:
        """The status that each criterion must have."""
        found: dict[str, Status] = {}
        for identity in criteria:
            named = [status for pattern, status in self.expect if fnmatchcase(identity, pattern)]
            found[identity] = named[0] if named else "passed"
        unused = [pattern for pattern, _ in self.expect if not any(fnmatchcase(each, pattern) for each in criteria)]
        if unused:
            raise HeaderError(f"no criterion is called {', '.join(unused)}")
        return found


def read_header(text: str) -> Header:
    """Read the header of a file.

    >>> read_header("# technique: exits\\n# replaces: decode.py\\n# expect: decode-* failed\\n").expect
    (('decode-*', 'failed'),)
    """
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = re.match(r"# ([\w-]+): (\S.*)$", line)
        if match is None:
            break
        if match[1] not in KEYS:
            raise HeaderError(f"a header has no {match[1]}; it has {', '.join(KEYS)}")
        found.setdefault(match[1], []).append(match[2])
    for key in ONCE:
        if len(found.get(key, ())) != 1:
            raise HeaderError(f"a header has {key} once")
    if "expect" not in found:
        raise HeaderError("a header says what to expect")
    return Header(
        technique=found["technique"][0],
        replaces=found["replaces"][0],
        expect=_expectations(", ".join(found["expect"])),
        says=tuple(found.get("says", ())),
        needs=_names(found.get("needs", ())),
        bites=_names(found.get("bites", ())),
        seed=int(found.get("seed", [str(DEFAULT_SEED)])[0]),
        defect=" ".join(found["defect"]) if "defect" in found else None,
    )


def _expectations(text: str) -> tuple[tuple[str, Status], ...]:
    """``nothing lost``, or pairs of a pattern and a status. The first pattern that fits counts."""
    if text == "nothing lost":
        return ()
    pairs = []
    for part in text.split(", "):
        pattern, _, status = part.partition(" ")
        if status not in STATUSES:
            raise HeaderError(f"{part!r} is no pattern of criteria and one of {', '.join(STATUSES)}")
        pairs.append((pattern, status))
    return tuple(pairs)


def _names(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for value in values for name in value.split(", "))
