# refused: what `globals` reaches cannot be followed
# line: 8
from grader.authoring import criterion


@criterion("pairs", points=1, title="t")
def test_shown(student):
    assert globals()
