# refused: only names can be assigned to at the top level
# line: 6
from grader.authoring import criterion

SIZES = {}
SIZES["secret"] = 7


@criterion("pairs", points=1, title="t")
def test_shown(student): ...
