# refused: what learners see uses pairs-hidden, which is hidden
# line: 7
from grader.authoring import criterion


@criterion("pairs", points=1, title="t", visibility="hidden")
def test_hidden(student): ...


@criterion("pairs", points=1, title="t")
def test_shown(student):
    test_hidden(student)
