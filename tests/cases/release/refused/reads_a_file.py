# refused: what `__file__` reaches cannot be followed
# line: 10
from pathlib import Path

from grader.authoring import criterion


@criterion("pairs", points=1, title="t")
def test_shown(student):
    assert Path(__file__).read_text()
