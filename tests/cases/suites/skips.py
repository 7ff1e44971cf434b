# fault: longest-x: Skipped
# line: 10
import pytest

from grader.authoring import criterion


@criterion('longest', points=1, title='t')
def test_x(student):
    pytest.skip('later')
