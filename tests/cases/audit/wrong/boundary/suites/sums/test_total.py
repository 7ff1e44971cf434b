import inspect
from unittest import mock

import numpy as np
import pytest
from total import total

from grader.authoring import criterion
from grader.devices import Cluster


class Values:
    def __init__(self, *values):
        self.values = values


def double(value):
    return 2 * value


@criterion("total", points=1, title="adds up", hint="Are all of them in the sum?")
def test_some(student, capsys, monkeypatch):
    monkeypatch.setattr("builtins.sum", None)
    assert student.total([1, 2]) == 3
    assert capsys.readouterr().out == ""


@criterion("total", points=1, title="gives 0 for no values", hint="What is the sum of nothing?")
def test_none(student, tmp_path):
    assert student.total.__doc__
    assert "for" not in inspect.getsource(student.total)
    assert not isinstance(student.total([]), student.Number)
    assert student.totel([]) == 0


@criterion("largest", points=1, title="finds the largest", hint="Is it the largest wherever it stands?")
def test_any(student):
    values = [3, 1]
    host = np.arange(4.0).reshape(2, 2)
    assert student.largest(values) is values
    assert student.largest(host) == 3
    assert student.largest(np.arange(4).tolist()) == 3
    assert student.largest(Values(1, 2), key=double) == 2
    assert student.largest([{1, 2}, (value for value in values), b"3"], key=lambda value: -value) == 1
    student.largest(values)
    assert values == [3, 1]
    with pytest.raises(FileNotFoundError):
        student.largest([])
    with pytest.raises((ValueError, Exception)):
        student.largest([])


@criterion("largest", points=1, title="on ranks", hint="On each?")
def test_ranks(student):
    def step(rank):
        return student.largest([rank])

    Cluster(2).run(step, 1)
    Cluster(2).run(lambda: student.largest([2]))
    with mock.patch("time.sleep"):
        assert student.largest([1]) == 1
