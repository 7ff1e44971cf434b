"""What the grades of a reference, stubs, idle bodies and mutants say of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course import Exercise
from grader.results import Criterion, Finding, Grade, Status
from grader.runner import GraderFault

from .exercise import definitions
from .found import CAUGHT, AuditedMutant, finding
from .mutants import Mutant
from .suite import Stated

REFERENCE = "reference"
MISSED: Mapping[Status, str] = {
    "passed": "is earned by it",
    "blocked": "is blocked, because something before it fails",
    "todo": "is not tried, because a function still raises NotImplementedError",
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where findings point to."""

    exercise: Exercise
    suite: Path
    criteria: Mapping[str, Stated]

    def at_criterion(self, rule: str, criterion: str, message: str, fix: str) -> Finding:
        stated = self.criteria.get(criterion)
        if stated is None:  # stated in a way that only running the suite shows
            return finding(rule, self.suite, None, message, fix)
        return finding(rule, stated.file, stated.test.lineno, message, fix)

    def at_learners_file(self, rule: str, folder: Path, criterion: Criterion, message: str, fix: str) -> Finding:
        function = next(each for each in self.exercise.functions if each.name == criterion.function)
        if criterion.where is not None:
            return finding(rule, folder / criterion.where.file, criterion.where.line, message, fix)
        return finding(rule, folder / function.file, None, message, fix)


def fault_finding(fault: GraderFault, trial: str) -> Finding:
    """The suite itself failed, on some solution or on all."""
    message, fix = fault.message, "Mend the suite. Nothing else is tried until it is right."
    if trial != REFERENCE:
        message = f"{message} (on {trial})"
        fix = "Mend this line: nothing that is handed in may make a suite itself fail."
    return finding("suite", Path(fault.file or ""), fault.line, message, fix)


def check_reference(grade: Grade, places: Places) -> Iterator[Finding]:
    """The reference earns everything."""
    for criterion in grade.criteria:
        if criterion.status in ("failed", "timeout", "todo"):
            message = f"the reference does not earn {criterion.id}: {criterion.message}"
            fix = f"Mend {criterion.function} in reference/, or the criterion. Nothing else is tried until it is right."
            yield places.at_learners_file("reference", places.suite / REFERENCE, criterion, message, fix)


def check_stub(grade: Grade, places: Places) -> Iterator[Finding]:
    """The stubs crash nothing, and are told to be unwritten."""
    folder = places.exercise.pristine(places.exercise.files[0]).parent
    fix = "End its body with `raise NotImplementedError`. If it does: mend the criterion, which must get to calling it."
    for criterion in grade.criteria:
        if criterion.status in CAUGHT:
            message = f"the stub of {criterion.function} fails {criterion.id} and is not told to be unwritten"
            yield places.at_learners_file("stub", folder, criterion, f"{message}: {criterion.message}", fix)
    for function in grade.functions:
        if set(function.statuses) == {"blocked"}:
            definition = definitions(folder / function.file).get(function.name)
            line = None if definition is None else definition.lineno
            message = f"the stub of {function.name} is not told to be unwritten"
            yield finding("stub", folder / function.file, line, message, fix)


def check_idle(grades: Mapping[str, Grade], places: Places) -> Iterator[Finding]:
    """Who does nothing earns nothing. ``grades`` are those of stubs and idle bodies, by what they are."""
    earned: dict[str, list[str]] = {}
    for name, grade in grades.items():
        for criterion in grade.criteria:
            if criterion.earned:
                earned.setdefault(criterion.id, []).append(name)
    for identity, names in earned.items():
        message = f"{identity} is earned by doing nothing: {', '.join(names)}"
        fix = "Does it call the function, and hold what comes back against something that it must be?"
        yield places.at_criterion("idle", identity, message, fix)


def audited(mutant: Mutant, grade: Grade) -> AuditedMutant:
    """What came of a mutant."""
    return AuditedMutant(mutant.name, mutant.named, {each.id: each.status for each in grade.criteria})


def check_caught(mutant: Mutant, result: AuditedMutant) -> Iterator[Finding]:
    """A mutant is caught where its header says."""
    for name in mutant.named:
        status = result.statuses[name]
        if status not in CAUGHT:
            message = f"{mutant.name} is not caught by {name}, which {MISSED[status]}"
            caught = ", ".join(result.caught_by)
            fix = f"Sharpen {name}, or write in the header what catches it: {caught or 'nothing does yet'}."
            yield finding("mutant", mutant.first, 1, message, fix)


def check_catching(
    criteria: Sequence[Criterion], mutants: Sequence[Mutant], results: Sequence[AuditedMutant], places: Places
) -> Iterator[Finding]:
    """Each criterion catches a mutant. Where a header names it in vain, that is found already."""
    named = {name for mutant in mutants for name in mutant.named}
    catching = {name for result in results for name in result.caught_by}
    for criterion in criteria:
        if criterion.id not in named | catching:
            message = f"{criterion.id} catches no mutant: nothing shows that it can fail"
            fix = f'Write mutants/NAME/ with a wrong solution, "# caught by: {criterion.id}" in its first line.'
            yield places.at_criterion("catches", criterion.id, message, fix)
