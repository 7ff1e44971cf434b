# refused: a criterion must be a function at the top level
# line: 7
from grader.authoring import criterion


class TestPairs:
    @criterion("pairs", points=1, title="t")
    def test_shown(self, student): ...
