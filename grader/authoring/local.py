"""A learner's functions in this process: for bare pytest, notebooks and debuggers. No boundary, the same checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grader.devices import Cluster, Modules
from grader.devices.cluster import Arguments
from grader.devices.modules import LearnerFunction

from .signatures import Signature, type_name
from .trouble import Kind, Trouble, describe, student_error


class LocalStudent:
    """The functions of a folder, as a suite's ``student``."""

    def __init__(
        self,
        folder: Path,
        given: Sequence[Path] = (),
        signatures: Mapping[str, Signature] | None = None,
        homes: Mapping[str, str] | None = None,
    ) -> None:
        self._modules = Modules(folder, homes=homes, given=given)
        self._files = {str(path) for path in folder.glob("*.py")} - {str(path) for path in given}
        self._signatures = signatures or {}

    def __getattr__(self, name: str) -> LocalFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return LocalFunction(getattr(self._modules, name), name, self._signatures.get(name), self._files.__contains__)


class LocalFunction:
    """One function of a LocalStudent."""

    def __init__(
        self, function: LearnerFunction, name: str, signature: Signature | None, learner_file: Callable[[str], bool]
    ) -> None:
        self._function = function
        self._name = name
        self._signature = signature
        self._learner_file = learner_file

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._guard(lambda: [self._function(*args, **kwargs)], [None])[0]

    def run_on(self, cluster: Cluster, calls: Sequence[Arguments]) -> list[Any]:
        return self._guard(lambda: self._function.run_on(cluster, calls), cluster.ranks)

    def _guard(self, run: Callable[[], list[Any]], ranks: Sequence[int | None]) -> list[Any]:
        try:
            results = run()
        except Exception as error:
            kind: Kind = "import" if isinstance(error, SyntaxError) else "raised"
            raise student_error(describe(error, self._name, kind, self._learner_file)) from error
        for rank, value in zip(ranks, results, strict=True):
            check_return(self._name, self._signature, value, rank)
        return results


def check_return(name: str, signature: Signature | None, value: Any, rank: int | None) -> None:
    """Raise where a function returned a value of another type than it should."""
    wanted = None if signature is None else signature.wrong_return(value)
    if wanted is not None:
        shown = f"an object of type {value.type_name}" if hasattr(value, "type_name") else type_name(value)
        raise student_error(
            Trouble("returned", name, f"{name} returned {shown}; it should return {wanted}.", rank=rank)
        )
