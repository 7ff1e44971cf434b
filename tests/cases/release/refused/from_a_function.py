# refused: a criterion must be a function at the top level
# line: 7
from grader.authoring import criterion


def made(title):
    return criterion("pairs", points=1, title=title)


@made("t")
def test_shown(student): ...
