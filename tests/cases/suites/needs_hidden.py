# fault: longest-x is visible and needs longest-secret, which is not: a learner could not see why it is blocked
# line: 10
from grader.authoring import criterion


@criterion('longest', points='0.5', title='t', visibility='after_published')
def test_secret(student): ...


@criterion('longest', points='0.5', title='t', needs=['longest-secret'])
def test_x(student): ...
