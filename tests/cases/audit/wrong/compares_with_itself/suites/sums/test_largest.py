from grader.authoring import criterion


@criterion("largest", points=1, title="finds the largest", hint="Is it the largest wherever it stands?")
def test_any(student):
    first = student.largest([3, 1])
    again = [student.largest(values) for values in ([1, 3], [3])]
    assert all(each == first for each in again)
