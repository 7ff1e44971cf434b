"""A learner's files, executed once for each rank, so that a module-level variable is not shared by accident."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from .errors import GroupError
from .scheduler import in_a_rank

if TYPE_CHECKING:
    from .cluster import Arguments, Cluster


class RankModules(MetaPathFinder, Loader):
    """Modules made from source text, one copy for each rank, and one for calls outside of ranks (None).

    ``sources`` maps a module's name to its file name and text. While it is installed, as a context manager, ``import
    NAME`` between the files finds the copy of the rank that runs, and no other module of that name.
    """

    def __init__(self, sources: Mapping[str, tuple[str, str | bytes]]) -> None:
        self._sources = dict(sources)
        self._code: dict[str, CodeType] = {}
        self._copies: dict[int | None, dict[str, ModuleType]] = {}
        self._others: dict[str, ModuleType] = {}
        self._rank: int | None = None
        self.active = False

    def __enter__(self) -> RankModules:
        self._others = self._take()
        self.active = True
        sys.meta_path.insert(0, self)
        self._rank = None
        sys.modules.update(self._copies.get(None, {}))
        return self

    def __exit__(self, *_: object) -> None:
        self._copies[self._rank] = self._take()
        self.active = False
        sys.meta_path.remove(self)
        sys.modules.update(self._others)

    def switch(self, rank: int | None) -> None:
        """Make ``rank``'s copies the ones that ``import`` finds."""
        if rank != self._rank:
            self._copies[self._rank] = self._take()
            self._rank = rank
            sys.modules.update(self._copies.get(rank, {}))

    def load(self, name: str) -> ModuleType:
        """The copy of a module of the rank that runs."""
        return sys.modules.get(name) or import_module(name)

    def _take(self) -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in self._sources if name in sys.modules}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._sources:
            return None
        return ModuleSpec(fullname, self, origin=self._sources[fullname][0])

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        module.__file__, text = self._sources[name]
        if name not in self._code:
            self._code[name] = compile(text, module.__file__, "exec", dont_inherit=True)
        exec(self._code[name], module.__dict__)


class LearnerFunction:
    """A function in a learner's files. ``Cluster.run`` calls each rank's own copy; a plain call, the unranked one."""

    def __init__(self, modules: RankModules, module: str, name: str) -> None:
        self._modules = modules
        self._module = module
        self._name = name

    def _find(self) -> Callable[..., Any]:
        found: object = getattr(self._modules.load(self._module), self._name, None)
        if not callable(found):
            raise AttributeError(f"{self._module}.py has no function {self._name}")
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._modules.active:
            return self._find()(*args, **kwargs)
        if in_a_rank():
            raise GroupError(
                f"{self._name} was called inside a local function that runs per rank; "
                f"pass it to cluster.run itself, so that each rank has its own copy"
            )
        with self._modules:
            return self._find()(*args, **kwargs)

    def run_on(self, cluster: Cluster, calls: Sequence[Arguments]) -> list[Any]:
        """Call each rank's copy with its own arguments."""

        def body(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return self._find()(*args, **kwargs)

        with self._modules:
            return cluster.run_each([partial(body, args, kwargs) for args, kwargs in calls], self._modules.switch)


class Modules:
    """The functions of the Python files in a folder: ``Modules(folder).shard`` is ``shard`` of ``shard.py``.

    Each rank gets its own copy of every file. ``homes`` says in which file a function is, where that is not the
    file of its name.

    >>> import pathlib, tempfile
    >>> from grader.devices import Cluster
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "count.py").write_text(
    ...         "calls = 0\\ndef count():\\n    global calls\\n    calls += 1\\n    return calls\\n")
    ...     student = Modules(folder)
    >>> Cluster(2).run(student.count)
    [1, 1]
    """

    def __init__(
        self, folder: str | Path, *, homes: Mapping[str, str] | None = None, given: Sequence[Path] = ()
    ) -> None:
        files = [*sorted(Path(folder).glob("*.py")), *given]
        self._homes = dict(homes or {})
        self._modules = RankModules({path.stem: (str(path), path.read_bytes()) for path in files})

    def __getattr__(self, name: str) -> LearnerFunction:
        if name.startswith("_"):
            raise AttributeError(name)
        return LearnerFunction(self._modules, self._homes.get(name, f"{name}.py").removesuffix(".py"), name)
