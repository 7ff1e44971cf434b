# refused: files of a suite find each other by name, without dots
# line: 3
from .other import SIZES

from grader.authoring import criterion


@criterion("pairs", points=1, title="t")
def test_shown(student): ...
