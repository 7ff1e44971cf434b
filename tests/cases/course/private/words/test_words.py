"""The hidden suite of an exercise about something else."""

import pytest

from grader.authoring import criterion


@criterion("longest", points=1, title="finds the longest word")
@pytest.mark.parametrize("text, word", [("a bc d", "bc"), ("shard", "shard")])
def test_word(student, text, word):
    assert student.longest(text) == word, "Another word is longer."
