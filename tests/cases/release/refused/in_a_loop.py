# refused: only definitions, imports and plain assignments at the top level
# line: 5
from grader.authoring import criterion

for size in (1, 2):

    @criterion("pairs", points=1, title="t")
    def test_shown(student): ...
