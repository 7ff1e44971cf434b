# refused: no function at the top level of its files states pairs-shown
from grader.authoring import criterion as stated


@stated("pairs", points=1, title="t")
def test_shown(student): ...
