"""What an audit has graded: the reference, the stubs, bodies that do nothing, and every mutant."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import PurePath

from grader.course import Exercise
from grader.results import Grade
from grader.runner import Grader, GraderFault, Submission

from .mutants import Mutant

Progress = Callable[[int, int, str], None]
Result = Grade | GraderFault


@dataclass(frozen=True, slots=True)
class Trial:
    """One submission to grade, and the functions that it is about; all, if there are none.

    ``known`` are functions that are as in the reference, which earned all.
    """

    name: str
    submission: Submission
    only: Collection[str] = ()
    known: Collection[str] = ()


def trial_of(mutant: Mutant, reference: Submission, functions: Mapping[str, str]) -> Trial:
    """The reference with the files of a mutant. ``functions`` are those of the criteria, by id."""
    changed = replace(reference, files={**reference.files, **mutant.files})
    only = {functions[each] for each in mutant.named}
    return Trial(mutant.trial, changed, only, _untouched(reference, mutant.files) - only)


def _untouched(reference: Submission, changed: Collection[str]) -> set[str]:
    """The functions whose files are not among ``changed``, and do not import what is."""
    imports = {name: _imports(content) for name, content in reference.files.items()}
    touched: set[str] = set()
    reached = set(changed)
    while reached:
        touched |= reached
        stems = {PurePath(name).stem for name in reached}
        reached = {name for name, modules in imports.items() if modules & stems} - touched
    return {name for name, file in reference.homes.items() if file not in touched}


def _imports(content: bytes) -> set[str]:
    """The modules that a file imports by name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(content)):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module)):
                found.add(module)
    return found


def idle_trials(exercise: Exercise, reference: Submission) -> Iterator[Trial]:
    """For each function, the reference with a body that does nothing in its place."""
    for function in exercise.functions:
        source = reference.files[function.file]
        tree = ast.parse(source)
        named = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function.name)
        body = next(named, None)
        if body is None:
            continue  # imported, or made by a call: nothing that could be emptied
        first = [each.arg for each in (*body.args.posonlyargs, *body.args.args)][:1]
        for value in ("None", *first):
            body.body = ast.parse(f"return {value}").body  # a return outside of a function parses
            files = {**reference.files, function.file: ast.unparse(tree).encode()}
            known = _untouched(reference, {function.file})
            yield Trial(f"{function.name}: return {value}", replace(reference, files=files), {function.name}, known)


class Lanes:
    """A warm grader, and how many trials it grades side by side. Close it, or use ``with``."""

    def __init__(self, exercise: Exercise, jobs: int) -> None:
        self._grader = Grader(exercise)
        self._jobs = jobs

    def __enter__(self) -> Lanes:
        return self

    def __exit__(self, *_: object) -> None:
        self._grader.close()

    def grade(self, trials: Sequence[Trial], progress: Progress) -> dict[str, Result]:
        """Grade trials, and give the results by name, in their order. A fault of the grader itself is raised."""
        found: dict[str, Result] = {}
        with ThreadPoolExecutor(self._jobs) as pool:
            running = {pool.submit(_grade, self._grader, trial): trial.name for trial in trials}
            try:
                for done in as_completed(running):
                    found[running[done]] = done.result()
                    progress(len(found), len(trials), running[done])
            finally:
                pool.shutdown(cancel_futures=True)
        return {trial.name: found[trial.name] for trial in trials}


def _grade(grader: Grader, trial: Trial) -> Result:
    try:
        return grader.grade(trial.submission, only=trial.only, known=trial.known)
    except GraderFault as fault:
        if fault.file is None:
            raise GraderFault(f"{trial.name}: {fault.message}", detail=fault.detail) from None
        return fault
