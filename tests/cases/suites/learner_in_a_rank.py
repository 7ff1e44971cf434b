# fault: longest-x: TypeError: longest is called inside a function that runs per rank
# line: 11
from grader.authoring import criterion
from grader.devices import Cluster


@criterion('longest', points=1, title='t')
def test_x(student):
    Cluster(1).run(
        lambda: (
            student.longest("a bc")
        )
    )
