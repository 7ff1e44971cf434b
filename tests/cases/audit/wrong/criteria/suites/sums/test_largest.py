import pytest

from grader.authoring import criterion


@pytest.fixture
def largest(student):
    return student.largest


@criterion("largest", points="0.25", title="finds the largest", hint="Is it the largest wherever it stands?")
def test_any(student):
    first = student.largest([3, 1])
    again = [student.largest(values) for values in ([1, 3], [3])]
    assert all(each == first for each in again)


@criterion("largest", points="0.25", title="finds the largest of two", hint="Is it the largest wherever it stands?")
@pytest.mark.parametrize("values", [[3, 1], [1, 3]])
def test_two(largest, values):
    assert largest(values) == 3


@criterion("largest", points="0.5", title="finds the largest below 0", hint="Is 0 above it?")
@pytest.mark.parametrize("values", [[-3, -1], [-1, -3]])
def test_negative(values):
    assert max(values) == -1
