"""What ``course check`` does."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from grader.cli._failures import MISSING
from grader.cli._files import real, require_folder, write_atomically, write_report
from grader.cli._findings import quoted, show
from grader.cli._names import unknown
from grader.cli._tree import Tree, find_tree
from grader.course import Course
from grader.course.course import FILE, PACKAGE
from grader.course.library import Library
from grader.report.findings import Options
from grader.report.findings._words import counted
from grader.results import Check, Finding
from grader.rules import baseline, rules
from grader.rules.course.file import CourseFile
from grader.rules.engine import check as run_rules
from grader.rules.engine import files, running_of
from grader.rules.fixes import fix
from grader.rules.selection import names, selected

ROUNDS = 20
DOCS = "blob/HEAD/docs/lesson-format.md"


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    paths: tuple[Path, ...]
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    format: str
    output: Path | None
    fix: bool
    baseline: Path | None
    write_baseline: bool
    dialect: str | None
    cache: bool
    verbose: bool


def check(request: Request) -> int:
    """Check what was asked for, report it, and give the exit code."""
    for name in (*request.select, *request.ignore):
        if name not in names():
            raise unknown(f"no rule and no group of rules is called {name!r}", name, names())
    require_folder("--output", request.output)
    known = _read_baseline(request)
    tree = find_tree(request.paths, request.dialect)
    found = _mend(tree, request, known) if request.fix else _check(tree, request)
    if request.write_baseline:
        return _write_baseline(found, request, known, tree)
    gone = baseline.gone(found, known, tree.paths)
    notes = tuple(f"no longer there, so take it out of {request.baseline}: {entry}" for entry in sorted(gone))
    new = baseline.without(replace(found, notes=found.notes + notes), known)
    _report(new, request, tree)
    return MISSING if new.count("error") else 0


def _check(tree: Tree, request: Request) -> Check:
    """Check the tree, or remember what was found when all was as it is now."""
    if tree.paths is not None or not request.cache:
        return _look(tree, request)
    from grader.cli._check_cache import Cache

    cache = Cache(tree.library, (*request.select, "--ignore", *request.ignore))
    found = cache.load()
    if found is None:
        found = _look(tree, request)
        cache.store(found)
    return found


def _look(tree: Tree, request: Request) -> Check:
    asked = selected(request.select, request.ignore)
    running = [rules()[CourseFile.id]] if tree.broken else running_of(tree.library, asked, tree.paths)
    # Pages are many objects that all stay: to look for garbage among them takes a third of the time.
    gc.disable()
    try:
        findings = run_rules(tree.library, running, tree.paths)
    finally:
        gc.freeze()
        gc.enable()
    checked = len(files(tree.library, tree.paths))
    ids = tuple(rule.id for rule in running)
    return Check(findings, checked, ids, quoted(findings, tree.root), _notes(tree, len(asked) - len(running)))


def _notes(tree: Tree, left_out: int) -> tuple[str, ...]:
    if tree.broken:
        return (f"nothing else was checked, because {FILE} cannot be read",)
    if tree.library.course is not None and tree.library.course.edition:
        return ("this is the learners' edition: it has no hidden criteria, reference or mutants to check",)
    if not left_out or tree.library.course is not None:
        return ()
    verb = "needs" if left_out == 1 else "need"
    return (f"{counted(left_out, 'rule')} that {verb} a course did not run: there is no {FILE} in {tree.root}",)


def _mend(tree: Tree, request: Request, known: baseline.Baseline) -> Check:
    """Apply the edits of findings until none is left, say in which files, and give what is found then."""
    total: dict[str, int] = defaultdict(int)
    names = {real(tree.root / path): path for path in files(tree.library) if not (tree.root / path).is_symlink()}
    for _ in range(ROUNDS):
        found = _look(tree, request)
        mended = _edit(tree.root, baseline.without(found, known), names)
        if not mended:
            break
        for path, count in mended.items():
            total[path] += count
        tree = replace(tree, library=_again(tree.library))
    else:
        raise RuntimeError(f"--fix does not come to rest: it edits {', '.join(mended)} again and again")
    for path, count in sorted(total.items()):
        click.echo(f"Mended {counted(count, 'finding')} in {tree.root / path}.", err=True)
    return found


def _edit(root: Path, found: Check, names: dict[Path, str]) -> Mapping[str, int]:
    """Write what the edits of ``found`` make of each file, and count what was mended.

    A file is edited under one name, so that what its names ask for does not contend; what lies outside of ``root``
    is left alone.
    """
    edited: dict[str, list[Finding]] = defaultdict(list)
    for finding in found.findings:
        if finding.edits:
            edited[finding.path].append(finding)
    mended = {}
    for path, findings in edited.items():
        file = real(root / path)
        if not file.is_relative_to(real(root)) or names.setdefault(file, path) != path:
            continue
        try:
            old = file.read_bytes()
            new, count = fix(old, findings)
            if new != old:
                write_atomically(file, new)
                mended[path] = count
        except OSError as error:
            raise click.UsageError(f"{file} cannot be written: {error.strerror}.") from None
    return mended


def _again(library: Library) -> Library:
    """The same content, to be read anew."""
    course = library.course
    return Library(library.root, course and Course.read(course.file, check=False), library.dialect)


def _read_baseline(request: Request) -> baseline.Baseline:
    if request.baseline is None:
        if request.write_baseline:
            raise click.UsageError("--write-baseline needs --baseline FILE, which says where to.")
        return {}
    try:
        return baseline.parse(request.baseline.read_text("utf-8"))
    except FileNotFoundError:
        if request.write_baseline:
            require_folder("--baseline", request.baseline)
            return {}
        raise click.UsageError(f"--baseline: there is no {request.baseline} yet; --write-baseline makes it.") from None
    except OSError as error:
        raise click.UsageError(f"--baseline: {request.baseline} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"--baseline: {request.baseline} is no baseline: {error}.") from None


def _write_baseline(found: Check, request: Request, known: baseline.Baseline, tree: Tree) -> int:
    """Write what was found, and keep what was not looked for."""
    assert request.baseline is not None
    now = baseline.baseline_of(found)
    kept = baseline.not_judged(found, known, tree.paths)
    write_report(request.baseline, baseline.dump({**kept, **now}))
    click.echo(f"{request.baseline} knows {counted(sum(now.values()) + sum(kept.values()), 'finding')}.")
    return 0


def _report(found: Check, request: Request, tree: Tree) -> None:
    show(found, tree, Options(verbose=request.verbose, rules=rules(), docs=_docs()), request.format, request.output)
    if request.verbose:
        click.echo(f"In {tree.root}, by {counted(len(found.rules), 'rule')}: {', '.join(found.rules)}.", err=True)


def _docs() -> str | None:
    """The address of the page about rules, where this package comes from."""
    for file in (PACKAGE / "content" / FILE, PACKAGE.parent / FILE):
        if file.is_file():
            repository = Course.read(file, check=False).repository
            return None if repository is None else f"{repository}/{DOCS}"
    return None
