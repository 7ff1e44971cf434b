# fault: longest-x: ZeroDivisionError
# line: 8
from grader.authoring import criterion


@criterion('longest', points=1, title='t')
def test_x(student):
    1 / 0
