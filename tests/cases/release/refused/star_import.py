# refused: `import *` does not say what it takes
# line: 3
from math import *

from grader.authoring import criterion


@criterion("pairs", points=1, title="t")
def test_shown(student): ...
