import pytest

from grader.authoring import criterion


@criterion("largest", points=1, title="finds the largest", hint="Is it the largest wherever it stands?")
def test_any(student):
    assert [student.largest(values) for values in ([3, 1], [1, 3], [-1])] == [3, 3, -1]
    with pytest.raises(ValueError):
        student.largest([])
