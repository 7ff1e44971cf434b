"""From findings to text: one module per output format of ``course check``, each with ``render(check, options)``.

A module in this folder is a format of its name; a name that begins with an underscore is none.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

from grader.report import names

if TYPE_CHECKING:
    from grader.results import Check


class Explained(Protocol):
    """A rule, as far as a report explains it."""

    @property
    def title(self) -> str: ...
    @property
    def severity(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def good(self) -> str: ...
    @property
    def bad(self) -> str: ...
    @property
    def fix(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Options:
    """What a report needs beside the findings. A format heeds what makes sense in it.

    ``here`` and ``repository`` lead from the current folder, and from the root of the repository, to the folder that
    the findings' paths begin at. ``rules`` explains rules by their ids, ``docs`` is the address of a page about them.
    """

    width: int = 80
    colour: bool = False
    verbose: bool = False
    here: str = ""
    repository: str = ""
    rules: Mapping[str, Explained] = field(default_factory=dict)
    docs: str | None = None


class Format(Protocol):
    """A module of this folder."""

    def render(self, check: Check, options: Options = ...) -> str: ...


def formats() -> list[str]:
    """The names of the formats there are.

    >>> formats()
    ['github', 'json', 'sarif', 'text']
    """
    return names(__path__)


def render(check: Check, format: str, options: Options = Options()) -> str:
    """Render ``check`` in one of ``formats()``."""
    module = cast(Format, importlib.import_module(f"{__name__}.{format}"))
    return module.render(check, options)
