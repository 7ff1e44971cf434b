"""From results to text: one module per output format, each with ``render(grade, options)``.

A module in this folder is a format of its name; a name that begins with an underscore is none. Formats are pure
functions of ``grader.results`` data. ``render`` here is the way to them: what a report may not show of a hidden
criterion is taken out before a format sees it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, Protocol, cast

if TYPE_CHECKING:
    from grader.results import Grade, Ungraded


@dataclass(frozen=True, slots=True)
class Options:
    """What a reader may ask of a report. A format heeds what makes sense in it.

    ``folder`` leads from the root of the repository to the folder that the learner's files are in.
    """

    width: int = 80
    colour: bool = False
    verbose: bool = False
    timeline: bool = False
    folder: str = ""


class Format(Protocol):
    """A module of this folder."""

    def render(self, grade: Grade, options: Options = ...) -> str: ...


def names(folders: Iterable[str]) -> list[str]:
    """The names of the formats in ``folders``."""
    return sorted(module.name for module in pkgutil.iter_modules(folders) if module.name[0] != "_" and not module.ispkg)


def formats() -> list[str]:
    """The names of the formats of a grade.

    >>> "text" in formats() and "json" in formats()
    True
    """
    return names(__path__)


@cache
def load(format: str) -> Format:
    """The module of one of ``formats()``."""
    if format not in formats():
        raise ValueError(f"no format is called {format!r}; there are {', '.join(formats())}")
    return cast(Format, importlib.import_module(f"{__name__}.{format}"))


def render(grade: Grade, format: str, options: Options = Options()) -> str:
    """Render ``grade`` in one of ``formats()``."""
    from grader.report._hiding import hide

    return load(format).render(hide(grade), options)


def render_ungraded(ungraded: Ungraded, format: Literal["html", "json"]) -> str:
    """Render why there is no grade."""
    module = importlib.import_module(f"{__name__}.{format}")
    return cast(str, module.render_ungraded(ungraded))
