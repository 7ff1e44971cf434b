"""A lesson and a term as data: what their pages say, part by part, with places.

Reading is lenient: what is missing or malformed is empty or None here, and a rule says so. Who needs a lesson that
is whole asks ``Course.lesson``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grader.course.page import Page, Span

WARM_UP, KNOW, PRACTICE, REPS = "Warm-up", "Know this", "Practice", "Real-world reps"
FURTHER, NOT_LANDING = "Going further", "Not landing?"
SECTIONS = (WARM_UP, KNOW, PRACTICE, REPS, FURTHER, NOT_LANDING)
MISSION, SUCCESS = "lessons/mission.md", "Success looks like"
_BESIDE_LESSONS = {"README.md", "mission.md", "resources.md"}


def kind_of(path: str) -> Literal["lesson", "term"] | None:
    """What a page is, by its path in the course; None if neither.

    >>> kind_of("lessons/lesson10.md"), kind_of("glossary/shard.md"), kind_of("lessons/mission.md")
    ('lesson', 'term', None)
    """
    match path.split("/"):
        case ["lessons", name] if name.endswith(".md") and name not in _BESIDE_LESSONS:
            return "lesson"
        case ["glossary", name] if name.endswith(".md") and name != "README.md":
            return "term"
        case _:
            return None


@dataclass(frozen=True, slots=True)
class Choice:
    """One choice of a question: ``- a) …``; ``reason`` and ``right`` stand in the answer, as ``- a) Yes. …``."""

    letter: str
    text: str
    span: Span
    right: bool | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question's ``<details>`` block says.

    ``given`` is the bold text without "Answer:": ``c``, ``1.875 GB or 1.746 GiB``, or empty for a model answer.
    ``tolerance`` is what stands after it in parentheses, such as ``± 1 %`` or ``exact``. ``text`` is the whole block as
    Markdown. ``recalls`` are the lessons to which it links.
    """

    kind: Literal["choice", "value", "model"]
    given: str
    tolerance: str | None
    text: str
    recalls: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the warm-up or practice. ``text`` is Markdown, without choices and answer."""

    id: str | None
    number: int
    section: str
    text: str
    choices: tuple[Choice, ...]
    answer: Answer | None
    span: Span


@dataclass(frozen=True, slots=True)
class Rep:
    """Something to do in the real world: ``- [ ] <a id="…"></a>**Tomorrow, 15 min.** … Done when …``.

    ``text`` is what to do, ``done_when`` what stands after "Done when".
    """

    id: str | None
    day: str | None
    minutes: int | None
    text: str
    done_when: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a lesson under a heading of level 2. ``span`` is that heading's; ``end_line`` is the part's last."""

    title: str
    span: Span
    end_line: int


@dataclass(frozen=True, slots=True)
class MissionPoint:
    """What success looks like: ``- <a id="…"></a>**label**: …``; "(planned)" if no lesson serves it yet."""

    id: str | None
    label: str
    planned: bool
    span: Span


@dataclass(frozen=True, slots=True)
class SourceWork:
    """The primary source of a lesson."""

    kind: str
    title: str
    by: str
    url: str
    year: int | None = None


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson. Its id is its file's name.

    ``head`` is the list under the heading, ``lead`` what stands between it and ``objectives``, which the learner can
    do after the lesson.
    """

    id: str
    page: Page
    title: str
    description: str
    order: int | None
    mission: str | None
    prerequisites: tuple[str, ...]
    source: SourceWork | None
    minutes: int | None
    draft: bool
    head: Span | None
    lead: str
    objectives: tuple[str, ...]
    sections: tuple[Section, ...]
    warm_up: tuple[Question, ...]
    practice: tuple[Question, ...]
    reps: tuple[Rep, ...]

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.warm_up + self.practice


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the glossary. Its id is its file's name."""

    id: str
    page: Page
    title: str
    aliases: tuple[str, ...]
    lesson: str | None
