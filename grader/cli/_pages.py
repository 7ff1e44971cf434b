"""Pages of the course on the terminal."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import click

from grader.cli._names import unknown
from grader.cli._terminal import follows_links, is_styled, wants_colour
from grader.course import Course
from grader.course.course import natural
from grader.course.lesson import Lesson, kind_of
from grader.reader import Links, Options

# As git has it: a short text is left on the screen, a long one can be scrolled, colours are colours.
LESS = "FRX"


def find_lesson(id: str) -> tuple[Course, Lesson]:
    """The lesson called ``id``, which may be written as its file, and its course; a usage error if there is none."""
    course = Course.find(Path.cwd())
    pages = (course.file.parent / "lessons").glob("*.md")
    known = sorted((page.stem for page in pages if kind_of(f"lessons/{page.name}") == "lesson"), key=natural)
    name = Path(id).name.removesuffix(".md")
    if name not in known:
        raise unknown(f"no lesson is called {id!r}", name, known)
    return course, course.lesson(name)


def page_options(course: Course, *, paged: bool = False, unfollowed: Links = "plain", answers: bool = False) -> Options:
    """How to show a page on what is printed to; ``unfollowed`` is what becomes of links that cannot be followed."""
    styled = is_styled() and (not paged or _pager_styles())
    return Options(
        root=course.file.parent,
        width=shutil.get_terminal_size().columns,
        styled=styled,
        colour=styled and wants_colour(),
        links="live" if styled and follows_links() else unfollowed,
        answers=answers,
    )


def show(text: str, *, paged: bool) -> None:
    """Print a text, in the user's pager if that is wanted and there is a terminal for it."""
    if not (paged and sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo(text, nl=False, color=True)
        return
    os.environ.setdefault("LESS", LESS)
    click.echo_via_pager(text, color=True)


def _pager_styles() -> bool:
    """Whether the user's pager passes on what a terminal acts on, as ``less -R`` does."""
    name, *flags = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    return Path(name).stem == "less" and "r" in "".join([os.environ.get("LESS", LESS), *flags]).lower()
