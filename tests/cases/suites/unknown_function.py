# fault: the manifest has no function shortest
# line: 6
from grader.authoring import criterion


@criterion('shortest', points=1, title='t')
def test_x(student): ...
