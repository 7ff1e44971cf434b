# fault: nobody
# line: any
from grader.authoring import criterion


@criterion('longest', points=1, title='t')
def test_x(nobody): ...
