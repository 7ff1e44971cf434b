import pytest

from grader.authoring import criterion


@criterion("total", points=1, title="adds up", hint=" ")
@pytest.mark.parametrize("values", [[1, 2, 3], [4]])
def test_some(student, values):
    assert student.total(values) == sum(values)


@criterion("total", points=1, title="gives 0 for no values", needs=["total-some"])
def test_none(student):
    assert student.total([]) == 0
