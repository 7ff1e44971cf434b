"""Asking questions in a plain terminal: what is asked, what is typed, and what is said to it."""

from __future__ import annotations

import io
import sys
import textwrap
from collections.abc import Callable, Sequence

import click

from grader.cli._failures import STOPPED
from grader.cli._progress import keep
from grader.course.lesson import Choice, Lesson, Question, Rep
from grader.reader import Options, fragment, render
from grader.study import Unreadable, judge, place
from grader.study.judging import letters


def ask(
    questions: Sequence[tuple[Lesson, Question]], reps: Sequence[tuple[Lesson, Rep]], options: Options, again: str
) -> int:
    """Ask one thing after the other, keep each answer at once, and give the exit code.

    Ctrl-C, Ctrl-D and the end of what is piped in leave it; ``again`` is the command that goes on from there.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    answers: list[bool] = []
    try:
        for number, (lesson, question) in enumerate(questions, 1):
            answers.append(_ask(lesson, question, f"{number} of {len(questions)}", options))
            keep("answered", place(lesson, question), "right" if answers[-1] else "wrong")
        for lesson, rep in reps:
            if _is_done(lesson, rep, options):
                keep("rep", place(lesson, rep), "done")
    except (click.Abort, KeyboardInterrupt):
        click.echo(f"\n\nStopped. {_summary(answers)}\nGo on  {again}")
        return STOPPED
    click.echo(_summary(answers))
    return 0


def _summary(answers: Sequence[bool]) -> str:
    if not answers:
        return "No question was answered."
    return f"{answers.count(True)} of {len(answers)} right. Each comes back when it is due: course review"


def _ask(lesson: Lesson, question: Question, count: str, options: Options) -> bool:
    """Ask a question, say what is right, and give whether the answer was."""
    head = f"### {lesson.id}, {question.section.lower()} {question.number} ({count})"
    _show(lesson, f"{head}\n\n{question.text}\n\n{_listed(question.choices)}", options)
    answer = "" if question.answer is None else textwrap.indent(question.answer.text, "> ", lambda line: True)
    tells = judge(question)
    if tells is None:
        _type("Answer in a line or in your head (Enter shows an answer)")
        _show(lesson, f"\n{answer}", options)
        return _confirm("Does yours say the same?")
    which = letters(question.choices) if question.choices else "a number, with its unit if it has one"
    right = _judged(tells, f"Answer {which} (Enter if you do not know)")
    said = {True: ("Right.", "green"), False: ("Not right.", "red"), None: ("This is the answer:", "yellow")}[right]
    click.echo(click.style(said[0], fg=said[1], bold=True) if options.colour else said[0], color=True)
    _show(lesson, answer, options)
    return bool(right)


def _is_done(lesson: Lesson, rep: Rep, options: Options) -> bool:
    """Show a rep, and ask whether it is done."""
    time = "" if rep.minutes is None else f", {rep.minutes} min"
    end = "" if rep.done_when is None else f" Done when {rep.done_when}"
    _show(lesson, f"### {lesson.id}, to do ({(rep.day or 'now').lower()}{time})\n\n{rep.text}{end}", options)
    return _confirm("Is it done?")


def _show(lesson: Lesson, markdown: str, options: Options) -> None:
    click.echo(render(fragment(lesson.page, markdown), options), color=True)


def _judged(tells: Callable[[str], bool], prompt: str) -> bool | None:
    """Whether what is typed is right, asked again until it can be read; None if nothing is typed."""
    while typed := _type(prompt):
        try:
            return tells(typed)
        except Unreadable as error:
            click.echo(str(error))
    return None


def _type(prompt: str) -> str:
    typed: str = click.prompt(prompt, default="", show_default=False)
    _end_line()
    return typed.strip()


def _confirm(question: str) -> bool:
    answer = click.confirm(question)
    _end_line()
    return answer


def _end_line() -> None:
    """End the line of a prompt, which a terminal does when Enter is typed."""
    if not sys.stdin.isatty():
        click.echo()


def _listed(choices: Sequence[Choice]) -> str:
    items = (textwrap.indent(f"{choice.letter}) {choice.text}", "  ") for choice in choices)
    return "\n".join(f"- {item.lstrip()}" for item in items)
