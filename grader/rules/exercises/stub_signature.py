"""The rule ``stub-signature``."""

from __future__ import annotations

from collections.abc import Iterator

from grader.course.exercise import Exercise
from grader.course.library import Library
from grader.results import Finding
from grader.rules.base import ExerciseRule
from grader.rules.exercises._functions import parameters, reference_of, stub_of


class StubSignature(ExerciseRule):
    """A stub defines its function with the parameters of the reference, which is what the suite calls."""

    id = "stub-signature"
    title = "Stub and suite agree on names and parameters"
    why = "A learner who keeps to the stub would otherwise fail every test, and not by a mistake of their own."
    file = "exercises/leap/.pristine/leap.py"
    good = "def is_leap(year: int) -> bool:"
    bad = "def is_leap(date: int) -> bool:"
    fix = "Give the stub and the reference solution the same name and the same parameters."

    def check(self, subject: Exercise, library: Library) -> Iterator[Finding]:
        for spec in subject.functions:
            stub, reference = stub_of(subject, spec), reference_of(subject, spec)
            if stub.function is None:
                message = f"the stub of `{spec.name}` {stub.problem}"
                yield self.finding(stub.path, stub.span, message, f"Define {spec.name} in {spec.file}.")
            elif reference is not None and parameters(stub.function) != parameters(reference):
                given, wanted = (f"{spec.name}({parameters(each)})" for each in (stub.function, reference))
                message = f"the stub has {given}, and the reference solution {wanted}"
                yield self.finding(stub.path, stub.span, message, self.fix)
