"""``course check``: what is checked, by which rules, what is said and with which exit code."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import grader.rules
from grader.cli._check_cache import CODE
from grader.course.course import PACKAGE
from grader.rules import rules
from tests.rules.checking import SMALL

COURSE = "schema: 1\ntitle: Days\ndescription: Counting them.\n"
UNKNOWN = "<!-- check: ignore ignore-raeson because of a slip -->\n"
# A rule with a fix in a group, one that fails, and one about the course as a whole.
RULES = {
    "bullets/bullet": """
class Bullet(PageRule):
    '''No line begins with a bullet.'''
    id, title, why, fix = "bullet", "Title", "Why it is.", "Write a hyphen."
    file, good, bad = "lessons/a.md", "- a", "• a"

    def check(self, subject, library):
        for number, line in enumerate(subject.text.content.splitlines(), 1):
            if line.startswith("•"):
                edit = Edit(number, 1, number, 2, "-")
                yield self.finding(subject.path, Span(number, 1, number, 2), "a bullet", "write `-`", (edit,))
""",
    "crash": """
class Crash(PageRule):
    '''Fails.'''
    id, title, why, fix = "crash", "Title", "Why it is.", "Nothing."
    file, good, bad = "lessons/a.md", "- a", "CRASH"

    def check(self, subject, library):
        if "CRASH" in subject.text.content:
            raise LookupError("no such thing")
        yield from ()
""",
    "whole": """
class Whole(CourseRule):
    '''A course has a lesson.'''
    id, title, why, fix = "whole", "Title", "Why it is.", "Write one."
    file, good, bad = "course.yml", "a", "b"

    def check(self, subject, library):
        if "lessons/gone.md" not in library.paths:
            yield self.finding("course.yml", Span(1, 1, 1, 2), "no lesson is gone")
""",
}
IMPORTS = "'''A rule.'''\nfrom grader.course.page import Span\nfrom grader.results import Edit\n"
IMPORTS += "from grader.rules.base import CourseRule, PageRule\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "sharded-training" / "check"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of two lessons in which nothing is wrong, with the current folder in it."""
    root = tmp_path / "days"
    (root / "lessons").mkdir(parents=True)
    (root / "course.yml").write_text(COURSE)
    for name in "ab":
        (root / "lessons" / f"{name}.md").write_text(f"# Lesson {name}\n\nText.\n")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def more_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The rules of ``RULES`` beside our own."""
    folder = tmp_path / "rules"
    for name, source in RULES.items():
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(IMPORTS + source)
    (folder / "__init__.py").unlink()
    monkeypatch.setattr(grader.rules, "__path__", [*grader.rules.__path__, str(folder)])
    rules.cache_clear()
    yield
    rules.cache_clear()
    for name in ("bullets", "bullets.bullet", "crash", "whole"):
        sys.modules.pop(f"grader.rules.{name}", None)


def messages(result: Any) -> list[tuple[str, str]]:
    return [(each["path"], each["rule"]) for each in json.loads(result.out)["findings"]]


def test_a_course_that_is_right(run: Any, course: Path) -> None:
    result = run("check", "--select", "course,ignores")
    assert (result.code, result.out, result.err) == (0, "3 files checked: nothing to mend.\n", "")


def test_warnings_do_not_fail_and_errors_do(run: Any, course: Path) -> None:
    (course / "lessons" / "a.md").write_text(UNKNOWN)
    assert (run("check", "--select", "ignores").code, run("check", "--select", "course").code) == (0, 0)
    (course / "course.yml").write_text(COURSE + "severities: {ignore-unknown: error}\n")
    result = run("check", "--select", "ignores")
    assert result.code == 1
    assert result.out == (
        "lessons/a.md\n"
        "  1:1  error  no rule is called `ignore-raeson`  [ignore-unknown]\n"
        "  1 | <!-- check: ignore ignore-raeson because of a slip -->\n"
        "    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "    = did you mean `ignore-reason`?\n"
        "\n"
        "3 files checked: 1 error.\n"
    )


def test_from_a_folder_of_the_course_all_of_it_is_checked(run: Any, course: Path, monkeypatch: Any) -> None:
    (course / "lessons" / "a.md").write_text(UNKNOWN)
    monkeypatch.chdir(course / "lessons")
    result = run("check", "--select", "ignores")
    assert result.out.startswith("../lessons/a.md\n")
    assert "3 files checked" in result.out


@pytest.mark.usefixtures("more_rules")
def test_of_paths_only_these_are_checked(run: Any, course: Path) -> None:
    for name in "ab":
        (course / "lessons" / f"{name}.md").write_text("• one\n")
    select = ("--select", "bullets,whole", "--format", "json")
    assert messages(run("check", *select)) == [
        ("course.yml", "whole"), ("lessons/a.md", "bullet"), ("lessons/b.md", "bullet"),
    ]  # fmt: skip
    assert messages(run("check", *select, ".")) == messages(run("check", *select))
    assert messages(run("check", *select, "lessons")) == [("lessons/a.md", "bullet"), ("lessons/b.md", "bullet")]
    assert messages(run("check", *select, "lessons/b.md", "course.yml")) == [("lessons/b.md", "bullet")]
    (course / "elsewhere").mkdir()
    (course / "elsewhere" / "c.md").write_text("• one\n")
    assert messages(run("check", *select, "elsewhere/c.md")) == [("elsewhere/c.md", "bullet")]


@pytest.mark.usefixtures("more_rules")
def test_rules_are_selected_and_ignored_by_name_and_by_group(run: Any, course: Path) -> None:
    (course / "lessons" / "a.md").write_text("• one\n\n" + UNKNOWN)

    def found(*options: str) -> set[str]:
        return {rule for _, rule in messages(run("check", "--format", "json", "lessons/a.md", *options))}

    assert found("--select", "bullets") == found("--select", "bullet") == {"bullet"}
    assert found("--select", "bullet", "--select", "ignores") == {"bullet", "ignore-unknown"}
    assert found("--select", "bullet,ignores", "--ignore", "bullets") == {"ignore-unknown"}
    assert "bullet" not in found("--ignore", "bullet")


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_unknown_rule_is_wrong_usage(run: Any, course: Path, option: str) -> None:
    result = run("check", option, "ignore-raeson")
    assert result.code == 2
    assert "no rule and no group of rules is called 'ignore-raeson'. Did you mean ignore-reason?" in result.err


def test_a_tree_without_a_course(run: Any, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.markdown").write_text(UNKNOWN)
    result = run("check", tmp_path / "tree", "--select", "ignores", "--dialect", "myst")
    assert (result.code, "1 file checked: 1 warning." in result.out) == (0, True)
    assert "note:" not in result.out


@pytest.mark.usefixtures("more_rules")
def test_a_tree_without_a_course_says_what_did_not_run(run: Any, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.md").write_text("• one\n")
    result = run("check", tmp_path / "tree", "--format", "github")
    assert f" a course did not run: there is no course.yml in {tmp_path}/tree\n" in result.out


def test_a_tree_in_a_repository_may_lead_out_of_its_folder(run: Any, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "docs").mkdir()
    for name in ("docs/a.md", "b.md"):
        (tmp_path / name).write_text(UNKNOWN)
    result = run("check", tmp_path / "docs", "--select", "ignores", "--format", "json")
    assert messages(result) == [("docs/a.md", "ignore-unknown")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.md"], "there is no file or folder gone.md"),
        (["notes.txt"], "is neither Markdown nor part of an exercise"),
        (["empty"], "there is nothing in"),
        (["--dialect", "myst"], "says whose Markdown it is"),
        (["--write-baseline"], "needs --baseline"),
        (["--baseline", "gone.json"], "--write-baseline makes it"),
        (["--baseline", "notes.txt"], "is no baseline"),
        (["--output", "gone/report"], "the folder gone does not exist"),
        ([".", "../other"], "do not all belong to one course"),
        (["../nothing"], "there is no Markdown in"),
    ],
)
def test_wrong_usage(run: Any, course: Path, arguments: list[str], said: str) -> None:
    (course / "notes.txt").touch()
    (course / "empty").mkdir()
    (course.parent / "nothing").mkdir()
    (course.parent / "other").mkdir()
    (course.parent / "other" / "course.yml").write_text(COURSE)
    result = run("check", *arguments)
    assert result.code == 2
    assert said in result.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: [\n", "did not find expected node content"),
        ("- a\n", "must be keys and values"),
        ("schema: 1\ntitle: 3\nseverities: 2\n", "`title` must be the course's title as text"),
        ("schema: 1\ntitle: Days\n", "`description` is missing"),
    ],
)
def test_a_broken_course_is_a_finding(run: Any, course: Path, text: str, said: str) -> None:
    (course / "course.yml").write_text(text)
    for options in ((), ("--select", "ignores"), ("--ignore", "course"), ("lessons/a.md",)):
        result = run("check", *options)
        assert (result.code, result.err) == (1, "")
        assert said in result.out
        assert "nothing else was checked, because course.yml cannot be read" in result.out


def test_what_is_only_against_the_schema_stops_nothing(run: Any, course: Path) -> None:
    (course / "course.yml").write_text(COURSE + "titel: Days\n")
    (course / "lessons" / "a.md").write_text(UNKNOWN)
    result = run("check", "--select", "ignores", "--format", "json")
    assert messages(result) == [("course.yml", "course-file"), ("lessons/a.md", "ignore-unknown")]


@pytest.mark.usefixtures("more_rules")
def test_a_rule_that_fails_is_our_fault(run: Any, course: Path, state: Path) -> None:
    (course / "lessons" / "b.md").write_text("CRASH\n")
    result = run("check", "--select", "crash")
    assert result.code == 3
    assert "rule crash failed on lessons/b.md: LookupError: no such thing" in result.err
    assert "Traceback" not in result.err
    assert "LookupError" in (state / "fault.txt").read_text()


def test_verbose_finds_the_same(run: Any, course: Path) -> None:
    (course / "lessons" / "a.md").write_text(UNKNOWN)
    for format in ("json", "github", "sarif"):
        plain, verbose = (run("check", "--select", "ignores", "--format", format, *more) for more in ((), ("-v",)))
        assert plain.out == verbose.out
        assert verbose.err.startswith(f"In {course}, by ")


def test_the_report_in_a_file(run: Any, course: Path) -> None:
    (course / "lessons" / "a.md").write_text(UNKNOWN)
    result = run("check", "--select", "ignores", "--format", "sarif", "--output", "report.sarif")
    assert result.out == "3 files checked: 1 warning. The report is in report.sarif.\n"
    assert json.loads((course / "report.sarif").read_text())["runs"][0]["results"]


def test_sarif_leads_to_a_page_of_ours(run: Any, course: Path) -> None:
    run_ = json.loads(run("check", "--format", "sarif").out)["runs"][0]
    addresses = {rule["helpUri"] for rule in run_["tool"]["driver"]["rules"]}
    assert len(run_["tool"]["driver"]["rules"]) == len(rules())
    (address,) = addresses
    assert (PACKAGE.parent / address.partition("/blob/HEAD/")[2]).is_file()


def test_addresses_begin_at_the_repository(run: Any, course: Path) -> None:
    (course.parent / ".git").mkdir()
    (course / "lessons" / "a.md").write_text(UNKNOWN)
    assert "::warning file=days/lessons/a.md,line=1," in run("check", "--select", "ignores", "--format", "github").out


# Baselines.


@pytest.mark.usefixtures("more_rules")
def test_a_baseline_leaves_out_what_was_there(run: Any, course: Path) -> None:
    lesson = course / "lessons" / "a.md"
    lesson.write_text("• one\n")
    base = ("check", "--select", "bullets", "--baseline", "known.json")
    assert run(*base, "--write-baseline").out == "known.json knows 1 finding.\n"
    assert run(*base).code == 0
    lesson.write_text("new\n\n• one\n\n• two\n")
    result = run(*base, "--format", "json")
    assert result.code == 1
    assert [each["line"] for each in json.loads(result.out)["findings"]] == [5]
    lesson.write_text("one\n")
    result = run(*base)
    assert result.code == 0
    assert "no longer there, so take it out of known.json: lessons/a.md: bullet, `• one`" in " ".join(
        result.out.split()
    )
    assert "no longer" not in run(*base, "lessons/b.md").out


@pytest.mark.usefixtures("more_rules")
def test_writing_a_part_of_a_baseline_keeps_the_rest(run: Any, course: Path) -> None:
    for name in "ab":
        (course / "lessons" / f"{name}.md").write_text("• one\n")
    base = ("check", "--select", "bullets", "--baseline", "known.json")
    run(*base, "--write-baseline")
    (course / "lessons" / "a.md").write_text("one\n")
    assert run(*base, "lessons/a.md", "--write-baseline").out == "known.json knows 1 finding.\n"
    assert run(*base).out == "3 files checked: nothing to mend.\n"


# Fixes.


@pytest.mark.usefixtures("more_rules")
def test_fix_mends_and_says_what(run: Any, course: Path) -> None:
    lesson = course / "lessons" / "a.md"
    lesson.write_bytes("\ufeff• one\r\n• two\r\n".encode())
    lesson.chmod(0o640)
    result = run("check", "--select", "bullets", "--fix", "--format", "json")
    assert (result.code, messages(result)) == (0, [])
    assert result.err == f"Mended 2 findings in {lesson}.\n"
    assert lesson.read_bytes() == "\ufeff- one\r\n- two\r\n".encode()
    assert lesson.stat().st_mode & 0o777 == 0o640
    assert not list(lesson.parent.glob(".*"))
    before = lesson.stat().st_mtime_ns
    assert run("check", "--select", "bullets", "--fix").err == ""
    assert lesson.stat().st_mtime_ns == before


@pytest.mark.usefixtures("more_rules")
def test_fix_leaves_alone_what_is_ignored_known_or_not_chosen(run: Any, course: Path) -> None:
    ignored = "<!-- check: ignore bullet because it is one -->\n• one\n"
    (course / "lessons" / "a.md").write_text(ignored)
    (course / "lessons" / "b.md").write_text("• one\n")
    select = ("--select", "bullets", "--baseline", "known.json")
    run("check", *select, "--write-baseline")
    run("check", *select, "--fix")
    run("check", "--select", "bullets", "--fix", "lessons/a.md")
    assert (course / "lessons" / "a.md").read_text() == ignored
    assert (course / "lessons" / "b.md").read_text() == "• one\n"


@pytest.mark.usefixtures("more_rules")
def test_fix_follows_a_link_and_leaves_it(run: Any, course: Path) -> None:
    (course / "elsewhere").mkdir()
    (course / "elsewhere" / "c.md").write_text("• one\n")
    (course / "lessons" / "c.md").symlink_to("../elsewhere/c.md")
    run("check", "--select", "bullets", "--fix")
    assert (course / "lessons" / "c.md").is_symlink()
    assert (course / "elsewhere" / "c.md").read_text() == "- one\n"


@pytest.mark.usefixtures("more_rules")
def test_fix_goes_through_no_link_out_of_the_course(run: Any, course: Path, tmp_path_factory: Any) -> None:
    outside = tmp_path_factory.mktemp("outside") / "d.md"
    outside.write_text("• one\n")
    (course / "lessons" / "d.md").symlink_to(outside)
    assert run("check", "--select", "bullets", "--fix").code == 1
    assert outside.read_text() == "• one\n"


def test_fix_writes_a_file_for_one_of_its_names(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    shutil.copytree(SMALL, tmp_path / "small")
    monkeypatch.chdir(tmp_path / "small")
    lesson = Path("lessons/lesson1.md")
    right = lesson.read_bytes()
    lesson.write_bytes(right.replace(b"&place=lesson1)", b"&place=lesson7)"))
    for name in ("lesson8.md", "lesson0.md"):
        Path("lessons", name).symlink_to("lesson1.md")
    assert run("check", "--select", "structure", "--fix").code == 1
    assert lesson.read_bytes() == right
    assert run("check", "--select", "structure", "--fix", "lessons/lesson8.md").code == 1
    assert lesson.read_bytes() == right


# The cache.


@pytest.mark.usefixtures("more_rules")
def test_what_has_not_changed_is_remembered(run: Any, course: Path, monkeypatch: Any) -> None:
    (course / "lessons" / "a.md").write_text("• one\n")
    check = ("check", "--select", "bullets")
    first = run(*check)
    monkeypatch.setattr("grader.cli._checking.run_rules", None)
    assert run(*check) == first
    assert run(*check, "--no-cache").code == 3
    assert run("check", "--select", "bullet").code == 3
    assert run(*check, "lessons/a.md").code == 3


@pytest.mark.usefixtures("more_rules")
@pytest.mark.parametrize(
    "change",
    [
        lambda course: (course / "lessons" / "b.md").write_text("# Lesson c\n\nText.\n"),
        lambda course: (course / "lessons" / "b.md").rename(course / "lessons" / "c.md"),
        lambda course: (course / "picture.png").touch(),
        lambda course: (course / "lessons" / "empty").mkdir(),
        lambda course: (course / "course.yml").write_text(COURSE + "severities: {bullet: 'off'}\n"),
    ],
    ids=["content", "name", "another", "folder", "severities"],
)
def test_what_has_changed_is_looked_at(run: Any, course: Path, monkeypatch: Any, change: Any) -> None:
    run("check", "--select", "bullets")
    change(course)
    monkeypatch.setattr("grader.cli._checking.run_rules", None)
    assert run("check", "--select", "bullets").code == 3


def test_a_change_of_the_rules_forgets(run: Any, course: Path, monkeypatch: Any, tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "rules").mkdir(parents=True)
    (package / "rules" / "links.py").write_text("ONE = 1\n")
    monkeypatch.setattr("grader.cli._check_cache.PACKAGE", package)
    run("check", "--select", "ignores")
    monkeypatch.setattr("grader.cli._checking.run_rules", None)
    assert run("check", "--select", "ignores").code == 0
    (package / "rules" / "links.py").write_text("ONE = 2\n")
    assert run("check", "--select", "ignores").code == 3


def test_all_code_that_finds_is_in_the_key() -> None:
    program = "import sys; from grader.rules import rules; import grader.rules.engine; rules(); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    ours = {name for name in ended.stdout.split() if name.startswith("grader.")}
    keyed = tuple(f"grader.{name.removesuffix('.py')}" for name in CODE)
    assert {name for name in ours if not name.startswith(keyed)} == set()
    assert all((PACKAGE / name).exists() for name in CODE)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"key": 1}', "[" * 100_000, "same key"])
def test_a_broken_cache_is_none(run: Any, course: Path, cache: Path, content: str) -> None:
    (course / "lessons" / "a.md").write_text(UNKNOWN)
    first = run("check", "--select", "ignores")
    (kept,) = cache.iterdir()
    key = json.loads(kept.read_text())["key"]
    kept.write_text(json.dumps({"key": key, "check": {"findings": [3]}}) if content == "same key" else content)
    assert run("check", "--select", "ignores") == first


def test_a_cache_that_cannot_be_written_is_done_without(run: Any, course: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert run("check", "--select", "ignores").code == 0


def test_few_trees_are_remembered(run: Any, course: Path, cache: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("grader.cli._check_cache.KEPT", 2)
    for group in ("ignores", "course", "ignore-unused"):
        run("check", "--select", group)
    assert len(list(cache.iterdir())) == 2
