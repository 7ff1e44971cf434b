"""A learner's files: one copy for each rank, whatever they import and however they break."""

import random
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.devices import RANK, Cluster, Modules, RankModules
from grader.devices.errors import GroupError

Write = Any


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(**files: str) -> Modules:
        for name, text in files.items():
            tmp_path.joinpath(f"{name}.py").write_text(text)
        return Modules(tmp_path)

    return write


COUNT = "calls = []\ndef count(group=None):\n    calls.append(1)\n    {}\n    calls.append(1)\n    return len(calls)\n"


def test_each_rank_has_a_copy_that_it_keeps(write: Write) -> None:
    student, cluster = write(count=COUNT.format("group.barrier()")), Cluster(3)
    assert cluster.run(student.count, cluster.world) == [2, 2, 2]
    assert cluster.run(student.count, cluster.world) == [4, 4, 4]


def test_outside_of_a_run_there_is_one_copy_more(write: Write) -> None:
    student = write(count=COUNT.format("pass"))
    assert [student.count(), student.count()] == [2, 4]
    assert Cluster(2).run(student.count) == [2, 2]
    assert student.count() == 6


def test_files_import_each_other_and_share_a_ranks_copy(write: Write) -> None:
    student = write(
        state="value = []\n",
        put="from state import value\ndef put(x, group):\n    value.append(x)\n    group.barrier()\n    return get()\n"
        "def get():\n    import state\n    return list(state.value)\n",
        get="def get():\n    import state\n    return list(state.value)\n",
    )
    cluster = Cluster(2)
    assert cluster.run(student.put, RANK, cluster.world) == [[0], [1]]
    assert cluster.run(student.get) == [[0], [1]]


def test_nothing_stays_in_sys_modules_or_hides_what_was_there(write: Write) -> None:
    student = write(
        random="def random():\n    return 'mine'\n",
        helper="def helper():\n    import random\n    return random.random()\n",
    )
    path = list(sys.meta_path)
    assert student.random() == "mine"
    assert Cluster(2).run(student.helper) == ["mine", "mine"]
    assert sys.modules["random"] is random
    assert "helper" not in sys.modules
    assert sys.meta_path == path


@pytest.mark.parametrize("text", ["def broken(:\n", "raise ValueError('on import')\n", "import nowhere\n"])
def test_a_broken_sibling_costs_only_what_needs_it(write: Write, text: str) -> None:
    student = write(
        broken=text,
        needs="from broken import x\ndef needs():\n    return 1\n",
        whole="def whole():\n    return 1\n",
        tries="def tries():\n    try: import broken\n    except Exception as error: return type(error).__name__\n",
    )
    cluster = Cluster(2)
    for _ in range(2):
        with pytest.raises((SyntaxError, ValueError, ImportError)):
            cluster.run(student.needs)
        assert cluster.run(student.whole) == [1, 1]
    assert cluster.run(student.tries)[0] in ("SyntaxError", "ValueError", "ModuleNotFoundError")


def test_a_function_that_is_not_there(write: Write) -> None:
    student = write(gather="Gather = 1\ngather = 2\n")
    for call in (student.gather, lambda: Cluster(1).run(student.gather)):
        with pytest.raises(AttributeError, match=r"gather.py has no function gather"):
            call()
    with pytest.raises(ModuleNotFoundError, match="release"):
        student.release()


def test_homes_and_given_files(write: Write, tmp_path: Path) -> None:
    given = tmp_path / "given" / "layers.py"
    given.parent.mkdir()
    given.write_text("size = 3\n")
    write(both="from layers import size\ndef one():\n    return size\n")
    student = Modules(tmp_path, homes={"one": "both.py"}, given=[given])
    assert student.one() == 3


def test_a_function_of_the_files_in_a_local_function_is_an_error(write: Write) -> None:
    student, cluster = write(count=COUNT.format("pass")), Cluster(2)
    with pytest.raises(GroupError, match="count was called inside a local function that runs per rank"):
        cluster.run(lambda: student.count())
    assert cluster.run(student.count) == [2, 2]


def test_a_function_of_the_files_as_an_argument_is_the_ranks_copy(write: Write) -> None:
    student = write(count=COUNT.format("pass"), twice="def twice(f):\n    f()\n    return f()\n")
    assert Cluster(2).run(student.twice, student.count) == [4, 4]
    assert student.count() == 2


def test_after_a_failed_run_modules_are_put_away(write: Write) -> None:
    student = write(
        fails="n = 0\ndef fails():\n    global n\n    n += 1\n    if n == 1: raise ValueError('once')\n    return n\n"
    )
    cluster = Cluster(2)
    with pytest.raises(ValueError, match="once") as caught:
        cluster.run(student.fails)
    assert caught.traceback[-1].path.name == "fails.py"
    assert "fails" not in sys.modules
    with pytest.raises(ValueError, match="once"):
        cluster.run(student.fails)  # rank 1, whose copy is new
    assert cluster.run(student.fails) == [3, 2]


def test_the_line_is_that_of_the_file(write: Write) -> None:
    student = write(make="def make(group):\n    x = group.device.zeros(2)\n    return x + 1\n")
    cluster = Cluster(1)
    cluster.run(student.make, cluster.world)
    places = [event.where for event in cluster.ledger.events[:2]]
    assert [(Path(place.file).name, place.line) for place in places if place] == [("make.py", 2), ("make.py", 3)]


def test_rank_modules_by_hand() -> None:
    modules = RankModules({"a": ("a.py", "import b\nx = [b.y]\n"), "b": ("b.py", b"y = 1\n")})
    with modules:
        first = modules.load("a")
        modules.switch(1)
        second = modules.load("a")
        assert second is not first
        assert second.b is not first.b
        assert (second.x, second.__file__, second.__name__) == ([1], "a.py", "a")
        modules.switch(None)
        assert modules.load("a") is first
    assert not modules.active
    assert "a" not in sys.modules
    with modules:
        assert modules.load("a") is first
