"""``course grade`` against bare pytest with the same suite in one process, and one submission against the next.

The exercise is lesson 10's, or that of a folder named on the command line.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from timing import command, in_turn, print_table, scaled

from grader.course import Course, Exercise
from grader.runner import Grader, Submission, read_submission

ROOT = Path(__file__).parents[1]
COURSE = (sys.executable, "-c", "from grader.cli import main; main()")
BARE_PYTEST = (sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider")
REPEATS = 7
SLOWEST = 5

# Submissions besides the reference, by what each of their functions does; untouched stubs where nothing is said.
BODIES = {
    "stubs": None,
    "every function raises": "raise RuntimeError('not right')",
    "every function returns its first argument": "return args[0]",
}


def write(exercise: Exercise, folder: Path, body: str | None) -> Path:
    """Write a submission into a new folder."""
    folder.mkdir()
    for file in exercise.files:
        names = [function.name for function in exercise.functions if function.file == file]
        content = "\n\n".join(f"def {name}(*args, **kwargs):\n    {body}\n" for name in names).encode()
        (folder / file).write_bytes(content if body else exercise.pristine(file).read_bytes())
    return folder


def in_new_processes(exercise: Exercise, suite: Path, folders: Mapping[str, Path]) -> None:
    """Every run starts its processes anew, as a learner's does."""
    plugin = ("-p", "grader.authoring.plugin", "--rootdir", suite, "--exercise", exercise.folder)
    runs = {"bare pytest, the reference": command((*BARE_PYTEST, *plugin, suite), cwd=ROOT)}
    for name, folder in folders.items():
        arguments = (*COURSE, "grade", folder, "--exercise", exercise.id)
        runs[f"course grade, {name}"] = command(arguments, cwd=exercise.folder, codes=(0, 1))
    seconds = in_turn(runs, REPEATS)
    bare, reference, *_ = seconds.values()
    rows = [[name, scaled(each), f"{each / bare:.2f}", f"{each / reference:.2f}"] for name, each in seconds.items()]
    header = ["in new processes", "time", "to bare pytest", "to the reference"]
    print_table(f"{exercise.id}, median of {REPEATS}", header, rows)


def in_warm_processes(exercise: Exercise, submissions: Mapping[str, Submission]) -> None:
    """The first submission pays for the start of the processes, the next ones find them warm."""
    seconds: dict[str, list[float]] = {}

    def add(name: str, start: float) -> None:
        seconds.setdefault(name, []).append(time.perf_counter() - start)

    for _ in range(REPEATS):
        start = time.perf_counter()
        with Grader(exercise) as grader:
            grader.grade(submissions["the reference"])
            add("first: the reference", start)
            for name, submission in submissions.items():
                start = time.perf_counter()
                grader.grade(submission)
                add(f"next: {name}", start)
    medians = {name: median(each) for name, each in seconds.items()}
    first, reference, *_ = medians.values()
    rows = [[name, scaled(each), f"{each / first:.2f}", f"{each / reference:.2f}"] for name, each in medians.items()]
    header = ["in the same processes", "time", "to the first", "to the reference"]
    print_table(f"{exercise.id}, median of {REPEATS}", header, rows)


def wrong_solutions(exercise: Exercise, suite: Path, reference: Submission) -> None:
    """The wrong solutions that come with the suite, each over the reference: what the slowest ones cost."""
    seconds = {}
    with Grader(exercise) as grader:
        for name in ("a warm-up", "the reference"):
            start = time.perf_counter()
            grader.grade(reference)
            seconds[name] = time.perf_counter() - start
        base = seconds["the reference"]
        seconds.clear()
        for folder in sorted((suite / "mutants").glob("*/")):
            files = {file.name: file.read_bytes() for file in folder.glob("*.py")}
            start = time.perf_counter()
            grader.grade(Submission({**reference.files, **files}, reference.homes))
            seconds[folder.name] = time.perf_counter() - start
    if not seconds:
        return
    shown = dict(sorted(seconds.items(), key=lambda each: -each[1])[:SLOWEST])
    shown[f"median of all {len(seconds)}"] = median(seconds.values())
    rows = [[name, scaled(each), f"{each / base:.2f}"] for name, each in shown.items()]
    print_table(f"{exercise.id}, wrong solutions, once each", ["the slowest", "time", "to the reference"], rows)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "exercises" / "lesson10").resolve()
    exercise = Course.find(folder).exercise(folder.name)
    suite = exercise.suite
    if suite is None:
        sys.exit(f"there is no suite for {exercise.id}")
    with tempfile.TemporaryDirectory() as scratch:
        folders = {"the reference": suite / "reference"}
        for name, body in BODIES.items():
            folders[name] = write(exercise, Path(scratch) / name, body)
        submissions = {name: read_submission(each, exercise) for name, each in folders.items()}
        in_new_processes(exercise, suite, folders)
    in_warm_processes(exercise, submissions)
    wrong_solutions(exercise, suite, submissions["the reference"])


if __name__ == "__main__":
    main()
