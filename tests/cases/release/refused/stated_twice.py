# refused: pairs-shown is not stated once
# line: 11
from grader.authoring import criterion


@criterion("pairs", points=1, title="t")
def test_shown(student): ...


@criterion("pairs", points=1, title="t")
def test_shown(student): ...
