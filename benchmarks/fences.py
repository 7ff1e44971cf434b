"""What each fence adds to a worker's start: fork, fence in, exit and wait, in a process as large as the zygote."""

from __future__ import annotations

import os
import signal
from functools import partial

from timing import in_turn, print_table, scaled, timed

from grader.runner import worker
from grader.runner.fences import Limits, enclose, raise_fences, readable_paths, survey

REPEATS = 51


def start(names: tuple[str, ...], readable: tuple[str, ...]) -> None:
    """A watcher and its worker, from the fork of one to the end of both."""
    watcher = os.fork()
    if watcher == 0:
        try:
            with enclose(names, Limits()):
                number = os.getpid()
                process = os.fork()
                if process == 0:
                    raise_fences(names, Limits(), readable, number)
                    os._exit(0)
                failed = os.waitpid(process, 0)[1] != 0
            os._exit(failed)
        finally:
            os._exit(1)
    if os.waitpid(watcher, 0)[1] != 0:
        raise RuntimeError(f"a worker did not start within {', '.join(names)}")


def main() -> None:
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
    seconds = in_turn({name: timed(partial(start, names, readable)) for name, names in stacks.items()}, REPEATS)
    rows = [[name, scaled(each), f"{(each - seconds['none']) * 1e3:+.1f} ms"] for name, each in seconds.items()]
    print_table(f"A worker's start, median of {REPEATS}, {len(readable)} paths", ["fences", "time", "added"], rows)
    for each in missing:
        print(f"{each.name} cannot be had here: {each.reason}")


if __name__ == "__main__":
    main()
