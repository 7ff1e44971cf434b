# refused: write `from … import …`, which says what it takes
# line: 3
import test_case

from grader.authoring import criterion


@criterion("pairs", points=1, title="t")
def test_shown(student):
    assert test_case
