# fault: invalid syntax
# line: 3
def test_x(:
