"""A learner's functions in a worker, on a cluster that keeps shapes only and of which a few ranks run."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.authoring import plugin as authoring
from grader.authoring.local import LocalStudent
from grader.authoring.signatures import Signature
from grader.authoring.trouble import StudentError
from grader.course import Course
from grader.devices import RANK, Cluster, DeviceError, Hardware, per_rank
from grader.devices.errors import NoDataError
from grader.devices.hardware import B200
from grader.limits import Limits
from grader.runner import wire
from grader.runner.handle import Setup
from grader.runner.remote import Link, RemoteStudent
from grader.runner.replay import LIES, LogState, Replay
from grader.runner.start import only_a_zygote

EXERCISE = Course.find(Path(__file__).parents[2]).exercise("lesson10")
REFERENCE = Path(__file__).parents[2] / "grader" / "suites" / "lesson10" / "reference"
GIVEN = {Path(name).name: EXERCISE.folder / name for name in EXERCISE.given}
HOMES = {function.name: function.file for function in EXERCISE.functions}
MORE = {
    "reads.py": b"def reads(x):\n    return x.shape, float(x[0])\n",
    "shows.py": b"def shows(x):\n    print(x)\n    return x\n",
    "uploads.py": b"import numpy as np\ndef uploads(group):\n"
    b"    return group.device.array(np.ones((3, 2), 'float16'))\n",
    "splits.py": b"def splits(group):\n    node = group.split(lambda rank: rank // 8)\n"
    b"    x = group.device.zeros(8)\n    node.all_reduce(x)\n    return node.rank, node.size\n",
    "guesses.py": b"def guesses(group):\n    return group.split(group.rank // 8).size\n",
    "odd.py": b"def odd(rank):\n    return str(rank) if rank == 1023 else rank\n",
    "ranks.py": b"def ranks(rank, x):\n    return 1 / (rank - 1023) if rank else x\n",
}

SIGNATURES = {"odd": Signature("odd", ("rank",), "int")}


@pytest.fixture(scope="module")
def link() -> Iterator[Link]:
    files = {path.name: path.read_bytes() for path in REFERENCE.glob("*.py")} | MORE
    homes = HOMES | {Path(name).stem: name for name in MORE}
    given = {name: path.read_bytes() for name, path in GIVEN.items()}
    setup = Setup(files, homes, given, ("numpy", "grader.devices"), Limits())
    with only_a_zygote() as control, contextlib.closing(Link(control, setup, SIGNATURES, lambda: None)) as link:
        yield link


@pytest.fixture(scope="module")
def student(link: Link) -> Any:
    return RemoteStudent(link)


@pytest.fixture
def layers() -> Iterator[Any]:
    """The module that the exercise gives, under its own name."""
    before = sys.modules.get("layers")
    authoring.load_given([GIVEN["layers.py"]])
    yield sys.modules.pop("layers")
    if before is not None:
        sys.modules["layers"] = before


def few(**options: Any) -> Cluster:
    return Cluster(1024, materialize=False, ranks=[0, 1, 1023], **options)


def step(student: Any, linear: Any) -> Cluster:
    """A training step of 8 layers and 6 x 10^10 parameters on three of 1,024 ranks."""
    side = 86_000
    cluster = few(capacity=200 * 10**9, flops=None, hardware=Hardware(B200))
    layers = [linear(f"layer{number}", (side, side)) for number in range(8)]
    shards = [
        {layer.name: device.empty((side // 1024 + 1, side), "float16") for layer in layers}
        for device in cluster.devices
    ]
    batches = [[(device.empty((1, side), "float16"),) * 2] for device in cluster.devices]
    cluster.run(student.train_step, layers, per_rank(shards), per_rank(batches), cluster.world, 0.125)
    return cluster


def test_the_reference_trains_in_a_worker_as_it_does_here(student: Any, layers: Any) -> None:
    local = LocalStudent(REFERENCE, [GIVEN["layers.py"]], {}, HOMES)
    there, here = step(student, layers.Linear), step(local, layers.Linear)
    for rank in there.ranks:
        assert there.ledger.bytes_sent(rank) == here.ledger.bytes_sent(rank) == 3 * 8 * 1023 * 84 * 86_000 * 2
    kinds = [[type(event).__name__ for event in cluster.ledger.events].count("Collective") for cluster in (there, here)]
    assert kinds == [24, 24]
    for rank in there.ranks:
        time = there.ledger.time(rank)
        assert time == here.ledger.time(rank)
        # Gathers, computes, waits: nothing overlaps, and a step sends three times the weights over 50 GB/s.
        assert time.communicating == pytest.approx(24 * 1023 * (14e-6 + 84 * 86_000 * 2 / 50e9))
        assert time.seconds == pytest.approx(time.computing + time.waiting)
        assert time.waiting == pytest.approx(time.communicating)
    for far, near in zip(there.devices, here.devices, strict=True):
        assert far.memory_allocated() == near.memory_allocated()
        assert far.max_memory_allocated() == near.max_memory_allocated() > 2 * 86_000**2 * 2


def test_a_value_that_there_is_not_is_an_error_at_the_learners_line(student: Any) -> None:
    cluster = few()
    with pytest.raises(StudentError) as caught:
        cluster.run(student.reads, per_rank([device.zeros(2) for device in cluster.devices]))
    trouble = caught.value.trouble
    assert (trouble.kind, trouble.type, trouble.rank) == ("raised", "NoDataError", 0)
    assert "keeps shapes only" in trouble.text
    assert trouble.where is not None
    assert (trouble.where.file, trouble.where.line) == ("reads.py", 2)
    assert not cluster.ledger.host_copies()


def test_what_a_worker_prints_and_uploads_has_a_shape(link: Link, student: Any) -> None:
    cluster = few()
    link.begin_case()
    xs = cluster.run(student.shows, per_rank([device.zeros(2) for device in cluster.devices]))
    assert [x.device.rank for x in xs] == [0, 1, 1023]
    assert link.output() == "".join(
        f"[rank {rank}] <array of shape (2,), float32, without values>\n" for rank in (0, 1, 1023)
    )
    made = cluster.run(student.uploads, cluster.world)
    assert [(x.shape, x.dtype.name) for x in made] == [((3, 2), "float16")] * 3
    assert [copy.bytes for copy in cluster.ledger.host_copies()] == [12] * 3


def test_groups_are_split_in_a_worker(student: Any) -> None:
    cluster = few()
    assert cluster.run(student.splits, cluster.world) == [(0, 8), (1, 8), (7, 8)]
    assert [cluster.ledger.bytes_sent(rank) for rank in cluster.ranks] == [2 * 7 * 4] * 3
    with pytest.raises(StudentError, match=r"lambda rank: rank // 8"):
        cluster.run(student.guesses, cluster.world)


def test_an_error_names_the_rank_by_its_own_number(student: Any) -> None:
    cluster = few()
    xs = per_rank([device.zeros(1) for device in cluster.devices])
    with pytest.raises(StudentError) as caught:
        cluster.run(student.ranks, per_rank([0, 0, 1023]), xs)
    assert (caught.value.trouble.type, caught.value.trouble.rank) == ("ZeroDivisionError", 1023)
    with pytest.raises(StudentError, match="should return an int") as caught:
        cluster.run(student.odd, RANK)
    assert caught.value.trouble.rank == 1023


@pytest.mark.parametrize(
    ("entry", "blob", "refusal"),
    [
        ([wire.CREATE, 2, None, [1], "<f4", 0], b"", "not a rank"),
        ([wire.CREATE, 1024, None, [1], "<f4", 0], b"", "not a rank"),
        ([wire.CREATE, 0, None, [2**40], "<f4", 0], b"", "needs 4,398,046,511,104 bytes"),
        ([wire.UPLOAD, 0, None, [2], "<f4"], bytes(8), "values for a cluster without data"),
        ([wire.UPLOAD, 0, None, [2**40], "<f4"], b"", "needs 4,398,046,511,104 bytes"),
        ([wire.UPLOAD, 0, None, [2**40, 2**40], "<f4"], b"", "not a shape"),
        ([wire.DOWNLOAD, 0, None, [-1, 0, [2]]], b"", "keeps shapes only"),
        ([wire.ISSUE, 0, None, 0, "split", [], [], {"colors": [0, 1]}, False], b"", "2 colors for a group of 1024"),
        ([wire.ISSUE, 0, None, 0, "split", [], [], {"colors": ["a"]}, False], b"", "integers"),
        ([wire.ISSUE, 0, None, 0, "split", [], [], {"color": 0}, False], b"", "nobody says"),
    ],
)
def test_what_an_honest_worker_does_not_post_is_refused(entry: list[Any], blob: bytes, refusal: str) -> None:
    cluster = Cluster(1024, materialize=False, ranks=[0])
    replay = Replay(cluster, 1)
    replay.key(cluster.devices[0].array(np.zeros(2)).storage, [], -1)
    with pytest.raises((DeviceError, *LIES), match=refusal):
        replay.apply(entry, blob, LogState())


def test_a_value_asked_of_the_trusted_side_is_refused_there_too() -> None:
    cluster = few()
    replay = Replay(cluster, 1)
    x = cluster.devices[0].zeros(2)
    replay.key(x.storage, [], -1)
    with pytest.raises(NoDataError):
        replay.apply([wire.DOWNLOAD, 0, None, [-1, 0, [2]]], b"", LogState())
