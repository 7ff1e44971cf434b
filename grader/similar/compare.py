"""Compares what a class handed in, without what was given to everyone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from grader.course import Exercise
from grader.likeness import Likeness, Marked, Pair, Piece, Remark, Side, SideBySide
from grader.runner.submission import Submission, SubmissionError, not_there
from grader.similar.fingerprints import (
    RUN,
    Document,
    Fingerprints,
    Numbers,
    every_run,
    fingerprints,
    read,
    spans,
)
from grader.similar.pairs import Index

# Fewer tokens alike than this can be chance, in a function of a few lines.
FEWEST = 40
COMMON_AMONG, COMMON_SHARE = 10, Fraction(1, 4)

Submissions = Mapping[str, Submission]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Compared:
    """A class that was compared. ``submissions`` is read again, two at a time, where a pair is shown."""

    likeness: Likeness
    submissions: Submissions
    ignored: Numbers

    def side_by_side(self, pair: Pair) -> SideBySide:
        """The files of a pair, with the passages that both have."""
        documents = [read(self.submissions[side.id].files) for side in (pair.left, pair.right)]
        prints = [fingerprints(document).without(self.ignored) for document in documents]
        alike = np.intersect1d(prints[0].hashes, prints[1].hashes)
        left, right = (each.within(alike) for each in prints)
        return SideBySide(pair, _marked(documents[0], left, right), _marked(documents[1], right, left))


def compare(
    submissions: Submissions, exercise: Exercise, least: Fraction, progress: Progress = lambda done, total: None
) -> Compared:
    """Find the pairs of ``submissions``, by id, that share ``least`` of what is their own.

    A submission that raises SubmissionError when it is read is remarked upon; that a file is not there is no remark.

    Not anybody's own is what stands in the stubs, the given files and the reference, and what more than a quarter of
    the class, and more than ten people, have.
    """
    ignored = every_run(read({file.name: file.read_bytes()}) for file in _given_to_all(exercise))
    common = max(COMMON_AMONG, int(len(submissions) * COMMON_SHARE))
    ids, prints, remarks = [], [], []
    for done, id in enumerate(sorted(submissions)):
        progress(done, len(submissions))
        try:
            submission = submissions[id]
        except SubmissionError as error:
            remarks.append(Remark(id, f"was not compared: {error}"))
            continue
        document = read(submission.files)
        ids.append(id)
        prints.append(fingerprints(document).without(ignored))
        remarks += [Remark(id, note) for note in (*_odd(submission, exercise), *document.notes)]
    progress(len(submissions), len(submissions))
    if prints:
        usual = Index(prints).had_by_more_than(common)
        ignored = np.union1d(ignored, usual)
        prints = [each.without(usual) for each in prints]
    remarks += [Remark(id, _too_little(each)) for id, each in zip(ids, prints, strict=True) if each.covered < FEWEST]
    likeness = Likeness(
        exercise=exercise.id,
        title=exercise.title,
        least=least,
        run=RUN,
        fewest=FEWEST,
        common=common,
        submissions=len(submissions),
        pairs=tuple(sorted(_pairs(ids, prints, least), key=_rank)),
        remarks=tuple(sorted(remarks, key=lambda remark: remark.id)),
    )
    return Compared(likeness, submissions, ignored)


def _given_to_all(exercise: Exercise) -> Iterator[Path]:
    for name in exercise.files:
        pristine = exercise.pristine(name)
        yield pristine if pristine.is_file() else exercise.folder / name
    yield from (exercise.folder / name for name in exercise.given)
    if exercise.suite is not None:
        yield from sorted((exercise.suite / "reference").glob("*.py"))


def _odd(submission: Submission, exercise: Exercise) -> Iterator[str]:
    absences = {not_there(name) for name in exercise.files}
    return (note for note in submission.notes if note not in absences)


def _too_little(prints: Fingerprints) -> str:
    return f"has too little of its own to compare: {prints.covered} tokens"


def _pairs(ids: Sequence[str], prints: Sequence[Fingerprints], least: Fraction) -> Iterator[Pair]:
    if not prints:
        return
    candidates = {(min(pair), max(pair)) for pair in Index(prints).candidates(least)}
    for first, second in candidates:
        left, right = prints[first], prints[second]
        pair = Pair(
            Side(ids[first], left.within(right.hashes).covered, left.covered),
            Side(ids[second], right.within(left.hashes).covered, right.covered),
        )
        if pair.share >= least and min(pair.left.shared, pair.right.shared) >= FEWEST:
            yield pair


def _rank(pair: Pair) -> tuple[Fraction, Fraction, int, str, str]:
    """Most alike first; then by the other share, by how much it is, and by ids."""
    lesser = min(pair.left.share, pair.right.share)
    return -pair.share, -lesser, -pair.left.shared, pair.left.id, pair.right.id


def _marked(document: Document, here: Fingerprints, there: Fingerprints) -> tuple[Marked, ...]:
    """The files of a document, cut where the passages are that runs beginning at the places of ``here`` make."""
    passages = spans(here.places)
    counterparts = [_counterpart(passage, here, there) for passage in passages]
    marked, offset = [], 0
    for name, found in document.tokens.items():
        text, pieces, shown = document.texts[name], [], 0
        for number, (first, end) in enumerate(passages):
            if offset <= first < offset + len(found):
                start, stop = found[first - offset].start, found[end - 1 - offset].end
                pieces += [Piece(text[shown:start]), Piece(text[start:stop], number, counterparts[number])]
                shown = stop
        marked.append(Marked(name, (*pieces, Piece(text[shown:]))))
        offset += len(found)
    return tuple(marked)


def _counterpart(passage: tuple[int, int], here: Fingerprints, there: Fingerprints) -> int:
    """The passage of the other side that has most of the runs of ``passage``."""
    inside = (here.places >= passage[0]) & (here.places < passage[1])
    places = there.within(here.hashes[inside]).places
    starts = np.array([first for first, _ in spans(there.places)])
    return int(np.bincount(np.searchsorted(starts, places, "right") - 1).argmax())
