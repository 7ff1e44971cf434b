"""What a run did to memory, told by category and by line."""

from __future__ import annotations

from typing import Any

from grader.authoring import measured
from grader.authoring.measure import CATEGORIES
from grader.devices import Cluster, per_rank
from grader.devices.hardware import A100, Hardware
from grader.results import Place, Timeline

RANK = 1


def step(shard: Any, group: Any) -> None:
    whole = group.device.empty(4 * shard.size)
    group.all_gather_into_tensor(whole, shard)
    gradient = whole * 2
    whole.free()
    piece = group.device.empty(shard.size)
    group.reduce_scatter_tensor(piece, gradient)
    del gradient
    shard -= piece


def run(function: Any = step, hardware: Hardware | None = None) -> Timeline:
    cluster = Cluster(4, hardware=hardware)
    shards = [device.zeros(4) for device in cluster.devices]
    return measured(cluster, function, per_rank(shards), cluster.world).timeline(RANK)


def named(timeline: Timeline) -> dict[str, tuple[int, ...]]:
    return dict(timeline.parts)


def test_categories_are_seen_by_the_collectives() -> None:
    timeline = run()
    assert timeline.labels == ("empty", "multiply", "release", "empty", "release", "release")
    assert named(timeline) == {
        "at rest": (16, 16, 16, 16, 16, 16),
        "gathered weights": (64, 64, 0, 0, 0, 0),
        "gradients": (0, 64, 64, 64, 0, 0),
        "gradient pieces": (0, 0, 0, 16, 16, 0),
        "activations, temporaries": (0, 0, 0, 0, 0, 0),
    }


def test_the_parts_add_up() -> None:
    timeline = run()
    assert tuple(map(sum, zip(*named(timeline).values(), strict=True))) == timeline.bytes
    assert tuple(named(timeline)) == CATEGORIES


def test_what_was_there_before_stays_at_rest_whatever_it_is_used_for() -> None:
    def reduces_what_it_was_given(shard: Any, group: Any) -> None:
        piece = group.device.empty(1)
        group.reduce_scatter_tensor(piece, shard)
        shard.free()

    timeline = run(reduces_what_it_was_given)
    assert named(timeline)["at rest"] == (16, 0, 0)
    assert named(timeline)["gradient pieces"] == (4, 4, 0)


def test_each_event_has_its_line() -> None:
    first = step.__code__.co_firstlineno
    places = run().places
    assert [place and place.line - first for place in places] == [1, 3, 4, 5, None, None]
    assert {type(place) for place in places} == {Place, type(None)}


def test_streams_begin_with_the_run_where_there_is_a_clock() -> None:
    assert run().spans == ()
    spans = run(hardware=Hardware(A100)).spans
    assert [(span.stream, span.label) for span in spans if span.stream == "communication"] == [
        ("communication", "all_gather_into_tensor"),
        ("communication", "reduce_scatter_tensor"),
    ]
    assert {span.stream for span in spans} == {"compute", "communication"}
    assert min(span.start for span in spans) == 0.0
    assert all(span.end > span.start and span.place is not None for span in spans)


def test_memory_and_streams_are_over_the_same_time() -> None:
    assert run().seconds == ()
    timeline = run(hardware=Hardware(A100))
    ends = {span.label: span.end for span in timeline.spans}
    starts = {span.label: span.start for span in timeline.spans}
    moments = dict(zip(timeline.labels, timeline.seconds, strict=True))
    assert timeline.seconds[0] == 0
    assert moments["multiply"] == starts["multiply"] == ends["all_gather_into_tensor"]
    assert list(timeline.seconds) == sorted(timeline.seconds)
    assert timeline.seconds[-1] <= max(ends.values())


def test_what_is_reduced_over_all_is_a_gradient_and_a_piece_stays_one() -> None:
    def both(shard: Any, group: Any) -> None:
        gradient, other = shard * 2, shard * 3
        group.all_reduce(gradient)
        piece = group.device.empty(1)
        group.reduce_scatter_tensor(piece, other)
        group.all_reduce(piece)

    timeline = run(both)
    assert named(timeline)["gradients"][:3] == (16, 32, 32)
    assert named(timeline)["gradient pieces"][:3] == (0, 0, 4)
