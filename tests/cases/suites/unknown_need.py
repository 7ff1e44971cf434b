# fault: needs a, which no criterion before it is
# line: 6
from grader.authoring import criterion


@criterion('longest', points=1, title='t', needs=['a'])
def test_x(student): ...
