"""An audit of one exercise, from its files to what its suite catches."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from grader.course import Course, CourseError
from grader.course.exercise import PRISTINE
from grader.results import Criterion, Finding, Grade
from grader.runner import GraderFault, Submission, SubmissionError, read_submission

from . import verdicts
from .boundary import check_boundary
from .exercise import check_hints, check_stubs
from .found import Audit, AuditedCriterion, AuditedMutant, finding
from .learner import check_calls, check_comparisons
from .mutants import check_mutants, read_mutants
from .suite import criteria, read_suite
from .trials import Lanes, Progress, Trial, idle_trials, trial_of
from .verdicts import REFERENCE

STUB = "the stub"


def audit(course: Course, id: str, *, jobs: int = 2, progress: Progress | None = None) -> Audit:
    """Prove the exercise ``id``: its files, its suite as text, and its suite on right, empty and wrong solutions.

    ``jobs`` of these are graded side by side. ``progress`` is called after each with how many are done, how many there
    are, and the last one's name.
    """
    start = time.perf_counter()
    found = _audit(course, id, jobs, progress or (lambda done, total, name: None))
    relative = [replace(each, path=_relative(each.path, course.file.parent)) for each in found.findings]
    findings = tuple(sorted(relative, key=lambda each: (each.path, each.line or 0, each.column or 0)))
    files = _count(course.exercises_folder / id, *([course.suites / id] if course.suites else []))
    return replace(found, findings=findings, files=files, seconds=round(time.perf_counter() - start, 3))


def _relative(path: str, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()


def _count(*folders: Path) -> int:
    """How many files there are, but for what Python makes."""
    files = (path for folder in folders for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return sum(path.is_file() for path in files)


def _audit(course: Course, id: str, jobs: int, progress: Progress) -> Audit:
    try:
        exercise = course.exercise(id)
    except CourseError as error:
        fix = "Mend the manifest. Nothing else is tried until it is right."
        place = error.line, error.column, None, None
        return Audit(id, id, findings=(Finding("manifest", "error", str(error.file), *place, error.message, fix),))
    nothing = Audit(id, exercise.title)
    if exercise.suite is None:
        looked = course.file if course.suites is None else course.suites / id
        fix = "Write one, or let `suites:` in course.yml lead to the folder that has it."
        return replace(nothing, findings=(finding("suite", looked, None, f"there is no suite for {id}", fix),))
    if exercise.edition:
        message = "the learners' edition has no reference and no mutants, so nothing can be proven here"
        return replace(nothing, findings=(finding("suite", exercise.suite, None, message, "Audit it where they are."),))
    modules = read_suite(exercise.suite)
    places = verdicts.Places(exercise, exercise.suite, criteria(modules))
    stubs = tuple(check_stubs(exercise, exercise.suite / REFERENCE))
    text = (
        *stubs,
        *check_hints(places.criteria),
        *check_calls(places.criteria, modules),
        *check_comparisons(places.criteria),
        *check_boundary(modules, [function.name for function in exercise.functions], exercise.files),
    )
    try:
        reference = read_submission(exercise.suite / REFERENCE, exercise)
    except SubmissionError:
        fix = "Write a right solution there: it shows that every point can be earned."
        missing = finding("reference", exercise.suite / REFERENCE, None, "there is no reference to read", fix)
        return replace(nothing, findings=(*text, missing))
    nobody = [] if stubs else [Trial(STUB, read_submission(exercise.folder / PRISTINE, exercise))]
    with Lanes(exercise, jobs) as lanes:
        tried = _tried(nothing, lanes, places, reference, nobody, progress)
    return replace(tried, findings=(*text, *tried.findings))


def _tried(
    nothing: Audit,
    lanes: Lanes,
    places: verdicts.Places,
    reference: Submission,
    stubs: Sequence[Trial],
    progress: Progress,
) -> Audit:
    """What grading shows. All but the reference is tried only once that is right: the mutants stand on it."""
    first = lanes.grade([Trial(REFERENCE, reference)], progress)[REFERENCE]
    if isinstance(first, GraderFault):
        return replace(nothing, findings=(verdicts.fault_finding(first, REFERENCE),), trials=1)
    wrong = tuple(verdicts.check_reference(first, places))
    if wrong:
        return replace(nothing, criteria=_audited(first.criteria, ()), findings=wrong, trials=1)

    functions = {criterion.id: criterion.function for criterion in first.criteria}
    mutants = read_mutants(places.suite)
    named = [mutant for mutant in mutants if mutant.named and functions.keys() >= {*mutant.named}]
    nobody = [*stubs, *idle_trials(places.exercise, reference)]
    results = lanes.grade([*nobody, *(trial_of(mutant, reference, functions) for mutant in named)], progress)
    grades = {name: result for name, result in results.items() if isinstance(result, Grade)}
    pairs = [(each, verdicts.audited(each, grades[each.trial])) for each in named if each.trial in grades]
    seen = [result for _, result in pairs]
    findings = (
        *(verdicts.fault_finding(fault, name) for name, fault in results.items() if isinstance(fault, GraderFault)),
        *(verdicts.check_stub(grades[STUB], places) if STUB in grades else ()),
        *verdicts.check_idle({trial.name: grades[trial.name] for trial in nobody if trial.name in grades}, places),
        *check_mutants(mutants, places.suite, list(functions), reference),
        *(each for mutant, result in pairs for each in verdicts.check_caught(mutant, result)),
        *(verdicts.check_catching(first.criteria, mutants, seen, places) if mutants else ()),
    )
    return Audit(
        nothing.exercise,
        nothing.title,
        criteria=_audited(first.criteria, seen),
        mutants=tuple(seen),
        findings=findings,
        trials=1 + len(results),
    )


def _audited(criteria: Sequence[Criterion], mutants: Sequence[AuditedMutant]) -> tuple[AuditedCriterion, ...]:
    return tuple(
        AuditedCriterion(
            each.id,
            each.function,
            each.points,
            tuple(mutant.name for mutant in mutants if each.id in mutant.caught_by),
        )
        for each in criteria
    )
