"""A run over a class: what has a result is kept, the rest is graded, and everyone has a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.course import Exercise
from grader.course.course import natural
from grader.gradebook import Adjustment, Row, Score
from grader.results import Grade
from grader.runner import GraderFault, Submission, SubmissionError

from .collect import Collected, HandedIn
from .digest import exercise_digest, submission_digest
from .engine import Done, Engine, Job
from .reading import read_handed_in
from .store import Kept, Results

# What is written for an id, by the ending of the file's name: a grade, or the reason why there is none.
Reports = Callable[[str, Grade | str], Mapping[str, str]]
# What a learner reads where the grader failed, whose own words could tell what a suite hides.
FAULT = "the grader failed, which is no fault of your work: whoever runs the course knows, and will grade it again"


@dataclass(frozen=True, slots=True)
class Step:
    """How far a run is: of ``total`` so many were graded now, are as they were, cannot be graded, failed the grader."""

    total: int
    graded: int = 0
    unchanged: int = 0
    refused: int = 0
    faults: int = 0

    @property
    def done(self) -> int:
        return self.graded + self.unchanged + self.refused + self.faults


Progress = Callable[[Step], None]


class MissingRows(Exception):
    """Of what was handed in, ``ids`` have no result, and nothing says why."""

    def __init__(self, ids: Sequence[str]) -> None:
        super().__init__(*ids)
        self.ids = ids


class Run:
    """One run over what a class handed in to ``exercise``, whose results are kept in ``results``."""

    def __init__(self, exercise: Exercise, collected: Collected, results: Results, reports: Reports, seed: int) -> None:
        self._exercise = exercise
        self._suite = exercise_digest(exercise)
        self._collected = collected
        self._results = results
        self._reports = reports
        self._seed = seed
        self._keys: dict[str, str] = {}
        self.step = Step(len(collected.handed_in))

    def outdated(self) -> int:
        """How many results of earlier runs are of another state of the exercise."""
        records = (self._results.kept(each.id) for each in self._collected.handed_in)
        return sum(record is not None and record.suite != self._suite for record in records)

    def grade(self, engine: Engine, progress: Progress) -> None:
        """Have graded what has no result yet, and keep each result as it comes.

        GraderFault if the exercise was changed meanwhile, for then nobody knows what a result is of.
        """
        graded: list[str] = []
        for done in engine.grade(self._jobs(progress)):
            graded.append(done.id)
            self._keep(done)
            progress(self.step)
        if exercise_digest(self._exercise) != self._suite:
            for id in graded:
                self._results.forget(id)
            raise GraderFault("changed while the class was graded: run the same command again", self._exercise.id)

    def rows(self, adjustments: Mapping[str, Sequence[Adjustment]]) -> tuple[Row, ...]:
        """A row for everyone, in the natural order of ids; MissingRows if a result that should be there is not."""
        found = [(each, self._kept(each.id)) for each in self._collected.handed_in]
        if missing := [each.id for each, record in found if record is None]:
            raise MissingRows(missing)
        rows = [_row(each, record, adjustments) for each, record in found if record is not None]
        rows += [
            Row(each.id, None, None, adjustments=tuple(adjustments.get(each.id, ())), person=each)
            for each in self._collected.absent
        ]
        return tuple(sorted(rows, key=lambda row: (natural(row.id), row.id)))

    def _jobs(self, progress: Progress) -> Iterator[Job]:
        """What has to be graded. What has not is kept, and counted, on the way."""
        for each in self._collected.handed_in:
            submission = _read(each, self._exercise)
            content = submission if isinstance(submission, Submission) else str(submission)
            self._keys[each.id] = submission_digest(content, self._seed, self._suite)
            record = self._kept(each.id)
            if record is not None and not record.fault:
                self.step = replace(self.step, unchanged=self.step.unchanged + 1)
            elif isinstance(submission, Submission):
                yield Job(each.id, submission, self._seed)
                continue
            elif isinstance(submission, SubmissionError):
                self._refuse(each, str(submission))
            else:
                self._fail(each.id, submission)
            progress(self.step)

    def _refuse(self, handed_in: HandedIn, reason: str) -> None:
        record = self._record(handed_in.id, reason=reason, notes=handed_in.notes)
        self._results.keep(record, self._reports(handed_in.id, reason))
        self.step = replace(self.step, refused=self.step.refused + 1)

    def _keep(self, done: Done) -> None:
        if done.grade is None:
            self._fail(done.id, done.reason)
            return
        try:
            reports = self._reports(done.id, done.grade)
        except Exception as error:
            self._fail(done.id, error)
            return
        scores = {criterion.id: Score(criterion.status, criterion.earned) for criterion in done.grade.criteria}
        record = self._record(done.id, scores=scores, seconds=done.grade.seconds, notes=done.grade.notes)
        self._results.keep(record, reports)
        self.step = replace(self.step, graded=self.step.graded + 1)

    def _fail(self, id: str, why: str | Exception | None) -> None:
        """Keep that the grader failed on one submission, which costs no other its result."""
        reason = f"the grader failed: {type(why).__name__}: {why}" if isinstance(why, Exception) else why
        self._results.keep(self._record(id, reason=reason, fault=True), self._reports(id, FAULT))
        self.step = replace(self.step, faults=self.step.faults + 1)

    def _record(self, id: str, **found: Any) -> Kept:
        return Kept(id, self._keys[id], self._suite, **found)

    def _kept(self, id: str) -> Kept | None:
        """What is kept of a submission as it is now."""
        record = self._results.kept(id)
        return record if record is not None and record.key == self._keys.get(id) else None


def _read(handed_in: HandedIn, exercise: Exercise) -> Submission | Exception:
    """A submission with all that is to know of it, or why there is none: SubmissionError, or a defect of ours."""
    try:
        submission = read_handed_in(handed_in, exercise)
    except Exception as error:
        return error
    return replace(submission, notes=(*handed_in.notes, *submission.notes))


def _row(handed_in: HandedIn, record: Kept, adjustments: Mapping[str, Sequence[Adjustment]]) -> Row:
    return Row(
        id=handed_in.id,
        source=handed_in.source,
        scores=record.scores,
        seconds=record.seconds,
        reason=record.reason,
        notes=record.notes,
        adjustments=tuple(adjustments.get(handed_in.id, ())),
        person=handed_in.person,
    )
