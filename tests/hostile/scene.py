"""What surrounds a graded submission, with secrets in it, and the signs that one got at something."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import socket
import time
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from grader.report import Options, formats, render
from grader.results import Grade

from .header import Header

ENVIRONMENT, HOME, TEMPORARY = "cassowary-e1f0", "lyrebird-83ab", "bandicoot-6d2e"
SUITE = ("sesquipedalian-5b1e",)
HIDDEN_INPUTS = ("quokka-3c9d", "numbat-77f0", "quoll-aa41")
PUBLIC_FOLDERS = (Path("/"), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))
# A report has the timeline of a step with its streams, and a page draws it.
LONGEST_REPORT, LONGEST_PAGE = 90_000, 150_000
OPTIONS = (Options(), Options(width=100, verbose=True, timeline=True))
PATIENCE_SECONDS = 1.0
PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Scene:
    """Folders with secrets in them, and sockets that nobody has a reason to reach.

    ``mark`` begins the names of what hostile submissions make in folders that others use, too.
    """

    root: Path
    tcp: socket.socket
    udp: socket.socket
    abstract: socket.socket
    mark: str

    @property
    def course(self) -> Path:
        return self.root / "course"

    def placed(self, content: str) -> str:
        """A submission's text with the places that its author might know."""
        for name, value in {
            "@HOME@": self.root / "home",
            "@TEMPORARY@": self.root / "temporary",
            "@COURSE@": self.course,
            "@HERE@": self.root / "here",
            "@TCP@": self.tcp.getsockname()[1],
            "@UDP@": self.udp.getsockname()[1],
            "@ABSTRACT@": self.mark,
            "@MARK@": self.mark,
        }.items():
            content = content.replace(name, str(value))
        return content


@dataclass(frozen=True)
class Signs:
    """What was seen of the scene at one moment."""

    files: Mapping[str, tuple[object, ...]]
    processes: Mapping[int, str]


@contextlib.contextmanager
def scene(root: Path) -> Iterator[Scene]:
    """Set the scene in an empty folder. Whatever a grader started, however it hides, stays a descendant of ours."""
    for folder, secret in (("home", HOME), ("temporary", TEMPORARY)):
        (root / folder).mkdir()
        (root / folder / "secret.txt").write_text(secret)
    (root / "here").mkdir()
    mark = f"hostile-{os.getpid()}"
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as abstract,
    ):
        udp.bind(("127.0.0.1", 0))
        abstract.bind(f"\0{mark}")
        control = ctypes.CDLL(None, use_errno=True).prctl
        control(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        try:
            yield Scene(root, tcp, udp, abstract, mark)
        finally:
            control(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


# Signs


def look(stage: Scene) -> Signs:
    return Signs(_files(stage), descendants(os.getpid()))


def look_when_settled(stage: Scene) -> Signs:
    """As ``look``, once nothing runs but what leads a session: a fork that has told its grade may still be ending."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end and not all(map(_leads, descendants(os.getpid()))):
        time.sleep(0.005)
    return look(stage)


def _leads(process: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        return os.getsid(process) == process
    return False


def _files(stage: Scene) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for folder, _, names in os.walk(stage.root):
        for path in (Path(folder), *(Path(folder, name) for name in names)):
            status = path.lstat()
            found[str(path)] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_uid)
    for folder in PUBLIC_FOLDERS:
        with contextlib.suppress(FileNotFoundError):
            found |= {str(path): () for path in folder.iterdir() if path.name.startswith((stage.mark, "core"))}
    return found


def descendants(ancestor: int) -> dict[int, str]:
    """The living processes that ``ancestor`` started, directly or not, by id, with their names."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                name, _, rest = (entry / "stat").read_text(errors="replace").partition("(")[2].rpartition(")")
                state, parent = rest.split()[:2]
                if state not in "ZX":
                    parents[int(entry.name)] = (int(parent), name)
    found: dict[int, str] = {}
    size = -1
    while len(found) != size:
        size = len(found)
        found |= {each: name for each, (parent, name) in parents.items() if parent == ancestor or parent in found}
    return found


def end(before: Signs) -> None:
    """Kill what was started since."""
    for process in descendants(os.getpid()).keys() - before.processes.keys():
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


# What is wrong afterwards. Each function gives a sentence for everything that it noticed.


def wrong_marks(header: Header, grade: Grade, reference: Grade) -> list[str]:
    """A criterion that has another status, or earned something else, than it should."""
    wanted = header.statuses([criterion.id for criterion in reference.criteria])
    found = {criterion.id: criterion for criterion in grade.criteria}
    problems = [f"{identity} is not in the grade" for identity in wanted if identity not in found]
    problems += [f"{identity} is graded, which there is not" for identity in found if identity not in wanted]
    for identity, status in wanted.items():
        criterion = found.get(identity)
        if criterion is not None and criterion.status != status:
            problems.append(f"{identity} is {criterion.status}, not {status}: {criterion.message} {criterion.actual}")
    points = sum(each.points for each in reference.criteria if wanted[each.id] == "passed")
    if grade.earned != points:
        problems.append(f"{grade.earned} points are earned, not {points}")
    if grade.earned != sum(criterion.earned for criterion in grade.criteria):
        problems.append("the points are not those of the criteria")
    return problems


def silences(header: Header, text: str) -> list[str]:
    """What the report should say and does not. A line break counts as a space."""
    flat = " ".join(text.split())
    return [f"the report does not say {each!r}" for each in header.says if each not in flat]


def leaks(grade: Grade, reports: Mapping[str, str]) -> list[str]:
    """A secret that came out. What a hidden criterion was called with and expects is in a grade, not in its reports."""
    never = (ENVIRONMENT, HOME, TEMPORARY, *SUITE)
    learners = [each if each.visibility == "visible" else replace(each, expected=None) for each in grade.criteria]
    whole = repr(learners)
    problems = [f"{secret} was read" for secret in never if any(form in whole for form in _forms(secret))]
    for name, report in reports.items():
        for secret in (*never, *HIDDEN_INPUTS):
            problems += [f"{secret} is in the report as {name}" for form in _forms(secret) if form in report]
    return problems


def _forms(secret: str) -> tuple[str, ...]:
    """A secret as it is and as others would hide it."""
    return secret, secret[::-1], secret.encode().hex()


def unsafe_text(text: str) -> list[str]:
    """Characters that move the cursor, turn text round or cannot be written."""
    others = set(text) - {"\n"}
    found = {each for each in others if unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    return [f"the report contains {each!a}" for each in sorted(found)]


def endless(reports: Mapping[str, str]) -> list[str]:
    """Reports of no sensible length, in whatever format."""
    bounds = {name: LONGEST_PAGE if name.startswith("html") else LONGEST_REPORT for name in reports}
    long = {name: len(report) for name, report in reports.items() if len(report) > bounds[name]}
    return [f"the report as {name} has {length:,} characters" for name, length in long.items()]


def traces(before: Signs, after: Signs) -> list[str]:
    """Files that are new, changed or gone, and processes that are new."""
    problems = [f"a file is new: {name}" for name in after.files.keys() - before.files.keys()]
    problems += [f"a file is gone: {name}" for name in before.files.keys() - after.files.keys()]
    both = before.files.keys() & after.files.keys()
    problems += [f"a file has changed: {name}" for name in both if before.files[name] != after.files[name]]
    new = after.processes.keys() - before.processes.keys()
    problems += [f"a process goes on: {after.processes[each]}" for each in new]
    problems += [f"a process is gone: {before.processes[each]}" for each in before.processes.keys() - after.processes]
    return problems


def traces_left(stage: Scene, before: Signs) -> list[str]:
    """``traces`` once what ends by itself within a second has ended."""
    end = time.monotonic() + PATIENCE_SECONDS
    while (problems := traces(before, look(stage))) and time.monotonic() < end:
        time.sleep(0.05)
    return problems


def messages(stage: Scene) -> list[str]:
    """What came over the network."""
    problems = []
    while select.select([stage.tcp], [], [], 0)[0]:
        stage.tcp.accept()[0].close()
        problems.append("somebody connected over TCP")
    for name, each in (("UDP", stage.udp), ("an abstract socket", stage.abstract)):
        while select.select([each], [], [], 0)[0]:
            each.recv(2**16)
            problems.append(f"something came over {name}")
    return problems


def rendered(grade: Grade) -> dict[str, str]:
    """The grade in every format, short and long."""
    return {f"{name} {number}": render(grade, name, each) for name in formats() for number, each in enumerate(OPTIONS)}


def faults(stage: Scene, before: Signs, header: Header, grade: Grade, reference: Grade) -> list[str]:
    """Everything that is wrong after a submission was graded."""
    reports = rendered(grade)
    problems = wrong_marks(header, grade, reference)
    problems += silences(header, reports[f"text {len(OPTIONS) - 1}"])
    problems += leaks(grade, reports)
    problems += [problem for each in reports.values() for problem in unsafe_text(each)]
    problems += endless(reports)
    problems += traces_left(stage, before)
    return problems + messages(stage)


def alike(one: Grade, other: Grade) -> bool:
    """Whether two grades are the same but for the time that they took."""

    def timeless(grade: Grade) -> Grade:
        return replace(grade, seconds=0.0, criteria=tuple(replace(each, seconds=0.0) for each in grade.criteria))

    return timeless(one) == timeless(other)
