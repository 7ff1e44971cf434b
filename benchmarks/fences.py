"""What fences cost: each to a worker's start, and the levels to `course grade` as a whole."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from timing import command, in_turn, print_table, scaled, timed

from grader.runner import worker
from grader.runner.fences import Limits, Prepared, enclose, prepare, raise_fences, readable_paths, survey
from grader.runner.fences.linux import STRICT

REPEATS = 51
GRADES = 15
ROOT = Path(__file__).parents[1]
SOLUTION = ROOT / "grader" / "suites" / "lesson10" / "reference"
# Runs `course` with a zygote that starts with the folder in front of its path.
COURSE = "import sys; from grader.runner import start; start.ENVIRONMENT['PYTHONPATH'] = sys.argv.pop(1); \
from grader.cli import main; main()"
# Python imports a file of this name when it starts.
WITHOUT_FENCES = """
import sys
if "grader.runner.zygote" in sys.orig_argv:
    import grader.runner.fences
    grader.runner.fences.survey = lambda strict: ((), ())
"""


def start(names: tuple[str, ...], readable: tuple[str, ...], prepared: Prepared) -> None:
    """A worker from its fork to its end, within a watcher where fences are raised from outside."""
    if set(STRICT).isdisjoint(names):
        in_a_fork(lambda: raise_fences(names, Limits(), readable, prepared=prepared))
        return

    def watch() -> None:
        with enclose(names, Limits()):
            watcher = os.getpid()
            in_a_fork(lambda: raise_fences(names, Limits(), readable, watcher, prepared=prepared))

    in_a_fork(watch)


def in_a_fork(act: Callable[[], None]) -> None:
    """Act in a forked process, and see it to its end."""
    process = os.fork()
    if process == 0:
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)
    if os.waitpid(process, 0)[1] != 0:
        raise RuntimeError("a worker did not start")


def starts() -> None:
    """Fork, fence in, exit and wait, in a process as large as the zygote."""
    worker.prepare()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    readable = readable_paths(())
    base, _ = survey(strict=False)
    strict, missing = survey(strict=True)
    # A user of its own is there to be had with what keeps the interpreter readable.
    alone = {name: (name,) for name in strict if name != "user"}
    levels = {"base, all together": base, "strict, all together": strict}
    stacks = {"none": (), **alone, **levels}
    if "user" in base:
        stacks["base without user"] = tuple(name for name in base if name != "user")
    runs = {name: timed(partial(start, names, readable, prepare(names, readable))) for name, names in stacks.items()}
    seconds = in_turn(runs, REPEATS)
    rows = [[name, scaled(each), f"{(each - seconds['none']) * 1e3:+.1f} ms"] for name, each in seconds.items()]
    print_table(f"A worker's start, median of {REPEATS}, {len(readable)} paths", ["fences", "time", "added"], rows)
    for each in missing:
        print(f"{each.name} cannot be had here: {each.reason}")


def grades() -> None:
    """`course grade` of lesson 10's reference, with fences and without."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sitecustomize.py").write_text(WITHOUT_FENCES)
        grade = ("grade", SOLUTION, "--exercise", "lesson10")

        def run(path: str, *options: str) -> Callable[[], float]:
            return command((sys.executable, "-c", COURSE, path, *grade, *options), cwd=ROOT)

        runs = {"none": run(folder), "base": run(""), "strict": run("", "--fences", "strict")}
        seconds = in_turn(runs, GRADES)
    rows = [[name, scaled(each), f"{each / seconds['none']:.2f}"] for name, each in seconds.items()]
    print_table(f"course grade, the reference, median of {GRADES}", ["fences", "time", "to none"], rows)


def main() -> None:
    grades()
    starts()


if __name__ == "__main__":
    main()
