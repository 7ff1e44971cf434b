"""``course batch`` on a class: against other graders, in memory, with hostile work, and killed again and again.

``batch.py throughput`` needs the others' commands, ``otter`` and ``check50``, on the path, and says which is missing;
``batch.py memory``, ``batch.py many [COUNT]`` and ``batch.py killed`` need nothing else.
"""

from __future__ import annotations

import csv
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

import classroom
from timing import print_table

COURSE = (sys.executable, "-c", "from grader.cli import main; main()")
COUNT = 200
# How many of the class the slower graders get in each turn: their rate does not depend on it.
OF_PYTEST, OF_CHECK50, OF_OTTER = 40, 40, 6
REPEATS = 5
WORKERS = 2
KILLS = 20
SAMPLE_SECONDS = 0.2


def batch(course: Path, handed_in: Path, results: Path) -> list[str | Path]:
    """The command that grades a class. It runs in the folder of ``course``."""
    return [*COURSE, "batch", handed_in, "--exercise", classroom.EXERCISE, "--out", results]


def grade(course: Path, handed_in: Path, results: Path) -> None:
    """Grade a class, and raise if that failed."""
    ended = subprocess.run(
        batch(course, handed_in, results), cwd=course.parent, capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        raise RuntimeError(f"course batch ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")


def totals(results: Path) -> dict[str, str]:
    """The total of each row of a gradebook, by id; "" where nothing was graded."""
    with (results / "gradebook.csv").open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    found = {row["id"]: row["total"] for row in rows}
    if len(found) != len(rows):
        raise RuntimeError(f"{len(rows)} rows have {len(found)} ids")
    return found


def wrong_rows(results: Path, handed: Sequence[classroom.Handed]) -> list[str]:
    """Which rows are missing or have other points than their submission is known to deserve."""
    found = totals(results)
    expected = {each.id: "" if each.points is None else str(each.points) for each in handed}
    return sorted(id for id in expected.keys() | found.keys() if expected.get(id) != found.get(id))


# Throughput


def one_by_one(commands: Sequence[tuple[list[str | Path], Path, Mapping[str, str]]]) -> None:
    """Run a process for each submission, as many at a time as there are processors."""

    def run(one: tuple[list[str | Path], Path, Mapping[str, str]]) -> None:
        arguments, folder, more = one
        subprocess.run(arguments, cwd=folder, env={**os.environ, **more}, capture_output=True, check=False)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(run, commands))


def others(scratch: Path, folders: Sequence[Path]) -> dict[str, tuple[int, Callable[[], object]]]:
    """How to grade some of the class with each of the others that there is, and how many that is."""
    found: dict[str, tuple[int, Callable[[], object]]] = {}
    tests = classroom.write_pytest(scratch / "pytest")
    quiet = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", scratch / "pytest", tests]
    runs = [(pytest, folder, quiet | {"PYTHONPATH": str(folder)}) for folder in folders[:OF_PYTEST]]
    found["a pytest per submission"] = len(runs), partial(one_by_one, runs)
    if shutil.which("check50"):
        checks = classroom.write_check50(scratch / "check50")
        options = ["-o", "json", "--output-file", os.devnull, "--log-level", "warning"]
        runs = [(["check50", "--dev", *options, checks], folder, {}) for folder in folders[:OF_CHECK50]]
        found["check50 per submission"] = len(runs), partial(one_by_one, runs)
    if shutil.which("otter"):
        archive = scratch / "otter.zip"
        subprocess.run(
            ["otter", "generate", "-t", classroom.write_otter(scratch / "otter"), "-o", archive],
            cwd=scratch, capture_output=True, check=True,
        )  # fmt: skip
        runs = []
        for folder in folders[:OF_OTTER]:
            out = scratch / "otter-results" / folder.name
            out.mkdir(parents=True)
            runs.append((["otter", "run", "-a", archive, "--no-logo", "-o", out, folder / classroom.FILE], folder, {}))
        found["otter run per submission"] = len(runs), partial(one_by_one, runs)
    return found


def throughput(scratch: Path) -> None:
    """Submissions a second, each grader in its turn."""
    course = classroom.write_course(scratch / "course")
    handed_in, results = scratch / "handed_in", scratch / "results"
    handed_in.mkdir()
    handed = classroom.write_class(handed_in, COUNT)
    folders = sorted(entry for entry in handed_in.iterdir() if entry.is_dir())
    rivals = others(scratch, folders)
    rates: dict[str, list[float]] = {}
    for _ in range(REPEATS):
        shutil.rmtree(results, ignore_errors=True)
        runs = {"course batch": (COUNT, partial(grade, course, handed_in, results)), **rivals}
        for name, (count, run) in runs.items():
            start = time.perf_counter()
            run()
            rates.setdefault(name, []).append(count / (time.perf_counter() - start))
        if wrong := wrong_rows(results, handed):
            raise RuntimeError(f"wrong rows: {wrong}")
    medians = {name: median(each) for name, each in rates.items()}
    bare = medians["a pytest per submission"]
    rows = [[name, f"{rate:.2f}", f"{rate / bare:.2f}"] for name, rate in medians.items()]
    header = ["12 cases each, two processors", "submissions a second", "to pytest"]
    print_table(f"a class of {COUNT}, median of {REPEATS}", header, rows)
    for name in ("check50", "otter"):
        if shutil.which(name) is None:
            print(f"{name} is not installed: left out")


# Memory


def tree_bytes(root: int) -> int:
    """Bytes of memory that a process and its descendants have, those shared counted in shares."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    waiting, total = [root], 0
    while waiting:
        process = waiting.pop()
        waiting += parents.get(process, [])
        try:
            rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
    return total


def memory(scratch: Path) -> None:
    """The most that a batch has in memory, by the size of the class."""
    course = classroom.write_course(scratch / "course")
    rows = []
    for count in (COUNT, 5 * COUNT, 25 * COUNT):
        handed_in, results = scratch / f"handed_in{count}", scratch / f"results{count}"
        handed_in.mkdir()
        classroom.write_class(handed_in, count)
        process = subprocess.Popen(
            batch(course, handed_in, results), cwd=course.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        most, own = 0, 0
        while process.poll() is None:
            most = max(most, tree_bytes(process.pid))
            own = max(own, _own_bytes(process.pid))
            time.sleep(SAMPLE_SECONDS)
        if process.returncode != 0:
            raise RuntimeError(f"course batch ended with {process.returncode}")
        rows.append([f"{count}", f"{own / 2**20:.0f} MB", f"{most / 2**20:.0f} MB"])
    print_table("memory", ["submissions", "the command itself, at most", "with all its processes"], rows)


def _own_bytes(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


# Many, and killed


def many(scratch: Path, count: int = 10_000) -> None:
    """A large class, one in twenty hostile or broken: every row must be there and right."""
    course = classroom.write_course(scratch / "course")
    handed_in, results = scratch / "handed_in", scratch / "results"
    handed_in.mkdir()
    handed = classroom.write_class(handed_in, count, hostile=0.05)
    start = time.perf_counter()
    grade(course, handed_in, results)
    seconds = time.perf_counter() - start
    wrong = wrong_rows(results, handed)
    start = time.perf_counter()
    grade(course, handed_in, results)
    again = time.perf_counter() - start
    harmful = sum(each.points in (None, 0) for each in handed)
    rows = [[str(count), str(harmful), f"{seconds:.0f} s", f"{count / seconds:.1f}", f"{again:.1f} s", str(len(wrong))]]
    header = ["submissions", "hostile or broken", "time", "a second", "again, unchanged", "missing or wrong rows"]
    print_table("a large class", header, rows)
    if wrong:
        sys.exit(f"wrong: {', '.join(wrong[:20])}")


def killed(scratch: Path) -> None:
    """Kill a batch at random moments and begin again, then hold every row to what it must be."""
    course = classroom.write_course(scratch / "course")
    handed_in, results = scratch / "handed_in", scratch / "results"
    handed_in.mkdir()
    handed = classroom.write_class(handed_in, COUNT, hostile=0.02)
    undisturbed = scratch / "undisturbed"
    start = time.perf_counter()
    grade(course, handed_in, undisturbed)
    longest = (time.perf_counter() - start) / 2
    chance = random.Random(2)
    kills, moments = 0, []
    while kills < KILLS:
        process = subprocess.Popen(
            batch(course, handed_in, results), cwd=course.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(chance.uniform(0, longest))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
            moments.append(sum(1 for _ in results.glob("*.json")))
        else:
            shutil.rmtree(results)  # Done before it was killed: begin once more.
    grade(course, handed_in, results)
    wrong = wrong_rows(results, handed)
    same = (results / "gradebook.csv").read_bytes() == (undisturbed / "gradebook.csv").read_bytes()
    extra = {file.name for file in results.iterdir()} ^ {file.name for file in undisturbed.iterdir()}
    rows = [[str(kills), ", ".join(map(str, moments)), str(len(wrong)), "yes" if same else "no", str(len(extra))]]
    header = ["kills", "results there after each", "missing or wrong rows", "same gradebook", "files more or less"]
    print_table(f"a class of {COUNT}, killed", header, rows)
    if wrong or not same or extra:
        sys.exit("not the same as an undisturbed run")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        scratch.chmod(0o755)
        match sys.argv[1:]:
            case ["throughput"]:
                throughput(scratch)
            case ["memory"]:
                memory(scratch)
            case ["many", *count]:
                many(scratch, *map(int, count))
            case ["killed"]:
                killed(scratch)
            case _:
                sys.exit(__doc__)


if __name__ == "__main__":
    main()
