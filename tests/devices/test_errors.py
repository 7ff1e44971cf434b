"""Every misuse is an error of its own class: what it says, on which rank, at which line."""

import inspect
from typing import Any

import numpy as np
import pytest

from grader.devices import Back, Cluster, DeviceArray, Group, errors, per_rank
from grader.devices.collectives import methods
from grader.devices.errors import (
    ComputeLimitError,
    DeviceError,
    DoubleFreeError,
    DtypeError,
    GroupError,
    HangError,
    HostAccessError,
    InFlightError,
    MismatchError,
    NoAttributeError,
    NoDataError,
    OutOfMemoryError,
    ShapeError,
    UnsupportedError,
    UnwaitedError,
    UseAfterFreeError,
    Waiting,
    Where,
    WrongDeviceError,
    format_rows,
)


def freed(group: Group) -> DeviceArray:
    x = group.device.zeros((2, 3))
    x.free()
    return x


def in_flight(group: Group) -> DeviceArray:
    x = group.device.zeros(4)
    keep.append(group.all_reduce(x, async_op=True))
    return x


def vector(group: Group) -> DeviceArray:
    return group.device.zeros(2)


def nothing(group: Group) -> None:
    return None


def drop(_: object) -> None:
    return None


keep: list[Any] = []
box: dict[str, Any] = {}


def other_ranks(group: Group) -> DeviceArray:
    box[str(group.rank)] = group.device.zeros(2)
    group.barrier()
    return box["0"]


MISUSES: list[tuple[type[DeviceError], str, Any, Any]] = [
    (ShapeError, r"shapes \(4,\) and \(3,\) do not fit", lambda g: g.device.zeros(4), lambda g, x: x + x[:3]),
    (DtypeError, "complex64", nothing, lambda g, x: g.device.zeros(2, "complex64")),
    (UnsupportedError, "np.einsum", vector, lambda g, x: np.einsum("i->", x)),
    (NoAttributeError, "no sort", vector, lambda g, x: x.sort()),
    (HostAccessError, "x.numpy", vector, lambda g, x: np.asarray(x)),
    (WrongDeviceError, "on rank 1 uses an array of device 0", other_ranks, lambda g, x: x + 1),
    (WrongDeviceError, "device 0", other_ranks, lambda g, x: g.device.zeros(2) + x),
    (WrongDeviceError, "device 0", other_ranks, lambda g, x: x.free()),
    (WrongDeviceError, "device 0", other_ranks, lambda g, x: x.numpy()),
    (WrongDeviceError, "device 0", other_ranks, lambda g, x: g.all_reduce(x)),
    (WrongDeviceError, "device 0", other_ranks, lambda g, x: np.copyto(x, 1)),
    (WrongDeviceError, "device 0", nothing, lambda g, x: g.machine.devices[0].zeros(2)),
    (WrongDeviceError, "another cluster", nothing, lambda g, x: g.device.zeros(1) + Cluster(1).devices[0].zeros(1)),
    (
        UseAfterFreeError,
        r"add uses an array of shape \(2, 3\) after its storage was given back",
        freed,
        lambda g, x: x + 1,
    ),
    (UseAfterFreeError, "numpy", freed, lambda g, x: x.numpy()),
    (UseAfterFreeError, "copy", freed, lambda g, x: x.__setitem__(..., 1)),
    (UseAfterFreeError, "all_reduce", freed, lambda g, x: g.all_reduce(x)),
    (DoubleFreeError, r"free\(\) of an array of shape \(2, 3\).*x.is_freed", freed, lambda g, x: x.free()),
    (
        OutOfMemoryError,
        "needs 4,000 bytes; 952 of 1,000 are free",
        lambda g: g.device.zeros(12),
        lambda g, x: g.device.zeros(1000),
    ),
    (
        ComputeLimitError,
        "exp needs 101 floating-point operations",
        lambda g: g.device.zeros(101),
        lambda g, x: np.exp(x),
    ),
    (InFlightError, "add reads an array that an unfinished all_reduce uses", in_flight, lambda g, x: x + 1),
    (UnwaitedError, "all_reduce was dropped", vector, lambda g, x: drop(g.all_reduce(x, async_op=True))),
    (GroupError, "src=2: the group's ranks are 0 to 1", vector, lambda g, x: g.broadcast(x, src=2)),
    (GroupError, "src='0'", vector, lambda g, x: g.broadcast(x, src="0")),
    (GroupError, "sends nothing to itself", vector, lambda g, x: g.send(x, dst=g.rank)),
    (GroupError, "no group 9", nothing, lambda g, x: Group(g.machine, 9, g.device)),
    (
        GroupError,
        "rank 1 called barrier on the group of rank 0",
        lambda g: box.setdefault("group", g),
        lambda g, x: x.barrier(),
    ),
    (GroupError, "inside a run", nothing, lambda g, x: box["cluster"].run(len)),
    (ShapeError, "a color is an integer", nothing, lambda g, x: g.split("red")),
    (UnsupportedError, "takes arrays of a device, not ndarray", nothing, lambda g, x: g.all_reduce(np.zeros(2))),
    (UnsupportedError, "op='sum', 'avg', 'max', 'min', not 'mean'", vector, lambda g, x: g.all_reduce(x, op="mean")),
    (UnsupportedError, "not None", vector, lambda g, x: g.all_reduce(x, op=None)),
    (
        DtypeError,
        "needs floats, not int32",
        lambda g: g.device.zeros(2, "int32"),
        lambda g, x: g.all_reduce(x, op="avg"),
    ),
    (
        DtypeError,
        "output is float16, the input float32",
        vector,
        lambda g, x: g.all_gather_into_tensor(g.device.zeros(4, "float16"), x),
    ),
    (
        ShapeError,
        r"the output needs 2 x 2 elements.*\(2,\); its shape \(3,\) has 3",
        vector,
        lambda g, x: g.all_gather_into_tensor(g.device.zeros(3), x),
    ),
    (ShapeError, "the input needs 2 x 2 elements", vector, lambda g, x: g.reduce_scatter_tensor(x, g.device.zeros(3))),
    (ShapeError, "strided view, so pass x.copy", lambda g: g.device.zeros((2, 2)), lambda g, x: g.all_reduce(x[:, 0])),
    (NoDataError, "keeps shapes only", vector, lambda g, x: x.numpy()),
]


@pytest.mark.parametrize(("error", "says", "prepare", "misuse"), MISUSES)
def test_misuse(error: type[DeviceError], says: str, prepare: Any, misuse: Any) -> None:
    """Rank 1 does it; what takes a collective, rank 0 does too."""
    box.clear()
    cluster = box["cluster"] = Cluster(2, capacity=1000, flops=100, back=Back() if error is NoDataError else None)

    def act(group: Group) -> None:
        x = prepare(group)
        line = inspect.getsource(misuse)
        together = any(f"g.{name}(" in line for name in methods()) or error is InFlightError
        if group.rank == 1 or together:
            misuse(group, x)
        group.barrier()

    with pytest.raises(error, match=says) as caught:
        cluster.run(act, cluster.world)
    assert type(caught.value) is error
    assert caught.value.rank in (0, 1)
    assert caught.value.where is not None
    assert caught.value.where.file == __file__
    assert caught.value.message in str(caught.value)
    keep.clear()


@pytest.mark.parametrize(
    ("error", "act"),
    [
        (ShapeError, lambda x: x + x[:3]),
        (UseAfterFreeError, lambda x: (x.free(), x + 1)),
        (DoubleFreeError, lambda x: (x.free(), x.free())),
        (OutOfMemoryError, lambda x: x.device.zeros(10**9)),
        (DtypeError, lambda x: x.astype("complex64")),
        (UnsupportedError, lambda x: np.einsum("i->", x)),
        (HostAccessError, lambda x: np.asarray(x)),
        (UnsupportedError, lambda x: x["a"]),
        (ShapeError, lambda x: x[5]),
        (ShapeError, lambda x: x.reshape(3)),
    ],
)
def test_errors_know_rank_and_line(error: type[DeviceError], act: Any) -> None:
    cluster = Cluster(3)

    def body(group: Group) -> None:
        x = group.device.zeros(4)
        if group.rank == 2:
            act(x)

    with pytest.raises(error) as caught:
        cluster.run(body, cluster.world)
    assert caught.value.rank == 2
    assert caught.value.where == Where(__file__, act.__code__.co_firstlineno)
    assert f"(rank 2, {__file__}:{act.__code__.co_firstlineno})" in str(caught.value)


def test_the_line_is_the_users_also_through_numpy_and_python() -> None:
    import copy

    device = Cluster(1).devices[0]
    x = device.zeros(4)
    line = inspect.currentframe().f_lineno  # type: ignore[union-attr]
    y = np.concatenate([x, x])
    z = copy.deepcopy(x)
    w = sum([x, y[:4]])
    places = [event.where for event in device.machine.ledger.events if event.operation != "zeros"]  # type: ignore[union-attr]
    assert [place.line - line for place in places if place] == [1, 2, 3, 3]
    assert {place.file for place in places if place} == {__file__}
    assert z.shape == w.shape == (4,)


def test_every_error_is_a_device_error_with_its_python_kin() -> None:
    classes = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, DeviceError)]
    tried = {error for error, *_ in MISUSES} | {HangError, MismatchError}  # those in test_scheduler
    assert {each for each in classes if not each.__name__.startswith("_")} == tried | {DeviceError}
    assert issubclass(OutOfMemoryError, MemoryError)
    assert issubclass(UnsupportedError, TypeError)
    assert issubclass(NoAttributeError, AttributeError)


def test_an_array_of_another_rank_cannot_be_printed_away_but_shown() -> None:
    cluster = Cluster(2)
    x = cluster.devices[0].zeros(2)
    assert cluster.run(lambda group: str(x), cluster.world) == ["[0., 0.]", "[0., 0.]"]


def test_tables_of_many_ranks_are_short() -> None:
    rows = [Waiting(rank, "all_reduce", (4,), "float32", "sum", Where("a.py", 3)) for rank in range(1000)]
    rows[500] = Waiting(500, "returned")
    assert format_rows(rows).splitlines()[1:] == [
        "0-499    all_reduce sum  (4,)   float32  a.py:3",
        "500      returned        -      -        -",
        "501-999  all_reduce sum  (4,)   float32  a.py:3",
    ]
    assert len(format_rows(rows[:16]).splitlines()) == 17


def test_a_number_of_ranks_that_is_none() -> None:
    with pytest.raises(GroupError, match="one device at least, not 0"):
        Cluster(0)
    with pytest.raises(GroupError, match="2 values for a cluster of 3 ranks"):
        Cluster(3).run(len, per_rank([1, 2]))
