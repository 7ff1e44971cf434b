# refused: two statements on one line cannot be cut apart
# line: 5
from grader.authoring import criterion

SIZES = [1]; SECRETS = [2]


@criterion("pairs", points=1, title="t")
def test_shown(student): ...
