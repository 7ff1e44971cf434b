import pytest

from grader.authoring import criterion


@criterion("total", points=2, title="adds up", hint="Are all of them in the sum?")
@pytest.mark.parametrize("values", [[1, 2, 3], [4], []])
def test_some(student, values):
    assert student.total(values) == sum(values)
