"""Each check of the hostile submissions, held to something that it must notice."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from grader.results import Cases, Criterion, Function, Grade

from . import scene
from .header import Header, HeaderError, read_header
from .scene import Scene

HERE = Path(__file__).parent
TOP = "# technique: exits\n# replaces: decode.py\n"
HEADER = read_header(f"{TOP}# expect: decode-small failed\n")
RUN = """
import builtins, runpy, sys
found = runpy.run_path(sys.argv[1])
print(found[sys.argv[2]]({"decode": [72, 105], "lengths": ["a", "bcd"]}[sys.argv[2]]))
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def criterion(identity: str, status: str = "passed", **fields: object) -> Criterion:
    earned = Decimal(status == "passed")
    made = Criterion(identity, "decode", "decodes", "passed", Decimal(1), earned, Cases(1, 1))
    return replace(made, status=status, **fields)  # type: ignore[arg-type]


def graded(*criteria: Criterion) -> Grade:
    points, earned = Decimal(len(criteria)), sum((each.earned for each in criteria), Decimal(0))
    functions = (Function("decode", "decode.py", points, earned, {}),)
    return Grade("vault", "Vault", points, earned, 1, 0.1, {}, (), functions, criteria)


REFERENCE = graded(criterion("decode-small"), criterion("decode-random"))
FAILED = graded(criterion("decode-small", "failed", message="no"), criterion("decode-random"))


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Scene]:
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "course.yml").write_text("title: x\n")
    with scene.scene(tmp_path) as made:
        yield made


# Headers


@pytest.mark.parametrize(
    "text",
    [
        "",
        TOP,
        f"{TOP}# expect: decode-small failed\n# expects: more\n",
        f"{TOP}# expect: decode-small broken\n",
        f"{TOP}{TOP}# expect: decode-small failed\n",
        f"{TOP}\n# expect: decode-small failed\n",
    ],
)
def test_a_header_that_says_too_little_or_too_much_is_refused(text: str) -> None:
    with pytest.raises(HeaderError):
        read_header(text)


def test_a_header_that_names_no_criterion_is_refused() -> None:
    with pytest.raises(HeaderError, match="decode-small"):
        HEADER.statuses(["lengths-short"])


def test_the_first_pattern_that_fits_counts() -> None:
    header = read_header(f"{TOP}# expect: decode-random blocked, decode-* failed\n")
    found = header.statuses(["decode-small", "decode-random", "lengths-short"])
    assert list(found.values()) == ["failed", "blocked", "passed"]


# Marks and reports


def test_nothing_is_wrong_with_what_is_as_it_should_be(stage: Scene) -> None:
    assert scene.faults(stage, scene.look(stage), HEADER, FAILED, REFERENCE) == []


@pytest.mark.parametrize(
    ("grade", "noticed"),
    [
        (REFERENCE, "decode-small is passed, not failed"),
        (graded(criterion("decode-small", "failed"), criterion("decode-random", "failed")), "decode-random is failed"),
        (graded(criterion("decode-small", "failed")), "decode-random is not in the grade"),
        (graded(*FAILED.criteria, criterion("decode-more")), "decode-more is graded, which there is not"),
        (replace(FAILED, earned=Decimal(2)), "2 points are earned, not 1"),
        (graded(criterion("decode-small", "failed", earned=Decimal(1)), criterion("decode-random")), "2 points"),
    ],
)
def test_marks_that_are_wrong_are_noticed(grade: Grade, noticed: str) -> None:
    assert any(noticed in each for each in scene.wrong_marks(HEADER, grade, REFERENCE))


def test_a_report_that_does_not_say_what_it_should_is_noticed() -> None:
    header = replace(HEADER, says=("the limit for one call",))
    assert scene.silences(header, "stopped, the limit\n   for one call.") == []
    assert scene.silences(header, "stopped") != []


@pytest.mark.parametrize("secret", [scene.ENVIRONMENT, scene.HOME, scene.TEMPORARY, *scene.SUITE])
@pytest.mark.parametrize("form", [str, lambda secret: secret[::-1], lambda secret: secret.encode().hex()])
def test_a_secret_in_the_grade_is_noticed(secret: str, form: Callable[[str], str]) -> None:
    hidden = criterion("decode-small", "failed", visibility="hidden", output=f"is it {form(secret)}?")
    assert scene.leaks(graded(hidden), {}) != []


@pytest.mark.parametrize("secret", [*scene.SUITE, *scene.HIDDEN_INPUTS])
def test_a_secret_in_a_report_is_noticed(secret: str) -> None:
    shown = criterion("decode-small", "failed", call=f"decode({secret!r})")
    assert scene.leaks(FAILED, scene.rendered(graded(shown))) != []
    assert scene.leaks(FAILED, scene.rendered(FAILED)) == []


def test_what_a_hidden_criterion_knows_is_no_leak_until_it_is_shown() -> None:
    hidden = criterion("decode-small", "failed", visibility="hidden", expected=scene.SUITE[0])
    grade = graded(replace(hidden, output=scene.HIDDEN_INPUTS[0]))
    assert scene.leaks(grade, scene.rendered(grade)) == []


@pytest.mark.parametrize("text", ["\x1b[2J", "\r", "\x9b", "\u202e", "\u200b", "\u2028", "\ud800"])
def test_text_that_acts_on_a_terminal_is_noticed(text: str) -> None:
    assert scene.unsafe_text(f"a\n{text}\n") != []


def test_a_report_that_has_no_end_is_noticed_in_any_format() -> None:
    assert scene.endless({"text 0": "x" * 1000, "html 0": "x" * 100_000}) == []
    assert scene.endless({"text 0": "x" * 100_000, "html 0": "x" * 200_000}) == [
        "the report as text 0 has 100,000 characters",
        "the report as html 0 has 200,000 characters",
    ]


def test_grades_that_differ_in_more_than_their_time_are_told_apart() -> None:
    later = replace(FAILED, seconds=9.0, criteria=tuple(replace(each, seconds=9.0) for each in FAILED.criteria))
    assert scene.alike(later, FAILED)
    assert not scene.alike(REFERENCE, FAILED)


def test_everything_is_looked_at(stage: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene, "PATIENCE_SECONDS", 0)
    before = scene.look(stage)
    (stage.root / "here" / "new").touch()
    socket.create_connection(stage.tcp.getsockname()).close()
    leaky = graded(criterion("decode-small", "failed", actual=scene.HOME), criterion("decode-random", call="\x00"))
    header = replace(HEADER, says=("more",), expect=())
    found = "\n".join(scene.faults(stage, before, header, leaky, REFERENCE))
    for sign in ("is failed, not passed", "does not say 'more'", f"{scene.HOME} was read", "a file is new", "over TCP"):
        assert sign in found


# Traces: what the hostile files do where nothing fences them in


def biting() -> list[object]:
    files = sorted((HERE / "submissions").rglob("*.py"))
    headers = [(path, read_header(path.read_text())) for path in files]
    return [pytest.param(path, header, id=path.stem) for path, header in headers if header.bites]


@pytest.mark.parametrize(("path", "header"), biting())
def test_an_attack_is_noticed_where_nothing_stops_it(path: Path, header: Header, stage: Scene, tmp_path: Path) -> None:
    (stage.course / "private" / "vault").mkdir(parents=True)
    (stage.course / "private" / "vault" / "test_vault.py").write_text(f'EXPECTED = "{scene.SUITE[0]}"\n')
    before = scene.look(stage)
    copy = stage.root / "here" / "copy.py"
    copy.write_text(stage.placed(path.read_text()))
    started = scene.look(stage)
    command = [sys.executable, "-B", "-c", RUN, str(copy), header.replaces.removesuffix(".py")]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=15, cwd=stage.root / "here")
        found = {
            "file": [each for each in scene.traces(started, scene.look(stage)) if "a file" in each],
            "process": [each for each in scene.traces(started, scene.look(stage)) if "a process" in each],
            "network": scene.messages(stage),
            "reads": scene.leaks(graded(criterion("decode-small", "failed", output=ended.stdout)), {}),
        }
        assert all(found[each] for each in header.bites), (found, ended.stderr)
    finally:
        scene.end(before)
        for name in scene.look(stage).files.keys() - before.files.keys():
            _remove(Path(name))


def _remove(path: Path) -> None:
    if path.parent in scene.PUBLIC_FOLDERS:
        if path.is_dir():
            for each in path.iterdir():
                each.unlink()
            path.rmdir()
        else:
            path.unlink()


@pytest.mark.parametrize(
    "act",
    [
        lambda home: (home / "new.txt").write_text("x"),
        lambda home: (home / "secret.txt").write_text("longer than before"),
        lambda home: (home / "secret.txt").chmod(0o600),
        lambda home: (home / "secret.txt").unlink(),
        lambda home: os.utime(home / "secret.txt", (0, 0)),
        lambda home: ((home / "gone").touch(), (home / "gone").unlink()),
    ],
)
def test_a_file_that_is_touched_is_noticed(act: Callable[[Path], object], stage: Scene) -> None:
    before = scene.look(stage)
    act(stage.root / "home")
    assert scene.traces(before, scene.look(stage)) != []


def test_a_process_that_hides_is_noticed_and_one_that_ends_is_not(
    stage: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = scene.look(stage)
    program = "import os, time\nos.setsid()\nif os.fork() == 0:\n    os.closerange(0, 9)\n    time.sleep({})\n"
    try:
        subprocess.run([sys.executable, "-c", program.format(0.2)], check=True)
        assert scene.traces_left(stage, before) == []
        monkeypatch.setattr(scene, "PATIENCE_SECONDS", 0)
        subprocess.run([sys.executable, "-c", program.format(20)], check=True)
        assert scene.traces_left(stage, before) != []
    finally:
        scene.end(before)


def test_every_kind_of_message_is_noticed(stage: Scene) -> None:
    assert scene.messages(stage) == []
    socket.create_connection(stage.tcp.getsockname()).close()
    for family, address in ((socket.AF_INET, stage.udp.getsockname()), (socket.AF_UNIX, f"\0{stage.mark}")):
        with socket.socket(family, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"x", address)
    assert len(scene.messages(stage)) == 3
