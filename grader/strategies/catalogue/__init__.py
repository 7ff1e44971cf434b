"""One module per strategy, each with a class ``Model`` that says what is kept, gathered and reduced."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ..strategy import Strategy


def strategies() -> list[str]:
    """The names of the strategies there are.

    >>> strategies()
    ['hybrid', 'no_sync', 'reshard_to_node', 'shard_grad_op', 'stage0', 'stage1', 'stage2', 'stage3']
    """
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def load(name: str) -> type[Strategy]:
    """The class of one of ``strategies()``."""
    if name not in strategies():
        raise ValueError(f"no strategy is called {name!r}; there are {', '.join(strategies())}")
    return cast("type[Strategy]", importlib.import_module(f"{__name__}.{name}").Model)
