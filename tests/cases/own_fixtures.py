"""A suite with fixtures of its own: one in place of ``student``, one that a parameter is for, one that uses both."""

import pytest

from grader.authoring import criterion


class Louder:
    def __init__(self, student):
        self._student = student

    def longest(self, text):
        return self._student.longest(text).upper()


@pytest.fixture
def student(student):
    return Louder(student)


@pytest.fixture
def text(request):
    return f"{request.param} longer"


@pytest.fixture
def answer(student, text):
    return student.longest(text)


@criterion("longest", points=1, title="finds the longest word")
@pytest.mark.parametrize("text", ["a", "short"], indirect=True)
@pytest.mark.parametrize("word", ["LONGER"])
def test_word(request, student, answer, text, word):
    assert request.node.callspec.params["word"] == word
    assert student.longest(text) == answer == word, "Another word is longer."
