# refused: a fixture under another name cannot be followed
# line: 8
import pytest

from grader.authoring import criterion


@pytest.fixture(name="size")
def of_size(): ...


@criterion("pairs", points=1, title="t")
def test_shown(student, size): ...
