# fault: has 1 points in the manifest; its criteria have 2
# line: any
from grader.authoring import criterion


@criterion('longest', points=2, title='t')
def test_x(student): ...
