"""The rule ``stub-todo``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.exercise import Exercise
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import ExerciseRule
from grader.rules.exercises._functions import stub_of


class StubTodo(ExerciseRule):
    """A stub says with a TODO what to write, and raises NotImplementedError until it is written."""

    id = "stub-todo"
    title = "A stub says what is to do"
    why = "Editors list every TODO, so a learner sees what is left. NotImplementedError tells the grader the same."
    file = "exercises/leap/.pristine/leap.py"
    good = "    # TODO: write the rule.\n"
    bad = ""
    fix = "Write in the function: # TODO: what to do, and below it: raise NotImplementedError."

    def check(self, subject: Exercise, library: Library) -> Iterator[Finding]:
        for spec in subject.functions:
            stub = stub_of(subject, spec)
            if stub.function is None:
                continue
            lines = stub.source.splitlines()[stub.function.lineno - 1 : stub.function.end_lineno]
            for what, there in (
                ("a comment with TODO", any("TODO" in line.partition("#")[2] for line in lines)),
                ("`raise NotImplementedError`", any("raise NotImplementedError" in line for line in lines)),
            ):
                if not there:
                    yield self.finding(stub.path, stub.span, f"the stub of `{spec.name}` lacks {what}", self.fix)
