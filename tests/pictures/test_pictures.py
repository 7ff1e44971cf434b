"""Each picture is well-formed, tells in words what it draws, and draws what it is given."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace

import pytest

from grader.pictures import (
    Bar,
    Bars,
    Bound,
    Curve,
    Panel,
    Panels,
    Phase,
    Plot,
    bars,
    curves,
    in_bytes,
    memory,
    panels,
    step,
    streams,
)
from grader.results import Place, Span, Timeline

SVG = "{http://www.w3.org/2000/svg}"
HERE = Place("train_step.py", 30)
STEP = Timeline(
    2,
    (1000, 3000, 6000, 3000, 1000),
    ("zeros", "empty", "matmul", "release", "release"),
    5000,
    parts=(
        ("at rest", (1000, 1000, 1000, 1000, 1000)),
        ("gathered weights", (0, 2000, 2000, 0, 0)),
        ("gradients", (0, 0, 3000, 2000, 0)),
    ),
    places=(None, HERE, HERE, None, None),
)
CLOCKED = Timeline(
    0,
    (8, 16, 8),
    seconds=(0.0, 0.001, 0.003),
    spans=(
        Span("communication", "all_gather", 0.0, 0.002, HERE),
        Span("compute", "matmul", 0.001, 0.002, HERE),
        Span("compute", "matmul", 0.002, 0.004),
    ),
)
PLOT = Plot(
    "At the peak",
    "bytes",
    (
        Curve("stage 0", ((8, 16e9), (64, 16e9))),
        Curve("stage 3", ((8, 2e9), (16, 1e9), (64, 0.25e9))),
        Curve("yours", ((8, 4e9), (16, 1.5e9), (64, 0))),
    ),
    (Bound("1 GB", 1e9),),
)
PANELS = Panels(
    "Memory",
    "of a device",
    "Two panels.",
    (("pieces", 5), ("gathered", 0)),
    (
        Panel(
            "Stage 0",
            "peak 90 GB",
            ((10 * 10**9, 90 * 10**9), (0, 0)),
            (0, 1),
            4,
            (Phase("forward", 0, 1), Phase("update", 1, 4)),
        ),
        Panel("Stage 3", "peak 30 GB", ((10 * 10**9, 10 * 10**9), (20 * 10**9, 0)), (0, 3), 4),
    ),
    "time",
    bound=("80 GB", 80 * 10**9),
)
BARS = Bars(
    "Bytes sent",
    "by a device",
    "Three bars.",
    (("all-reduce", 5), ("all-gather", 0)),
    (
        ("One micro-batch", (Bar("stage 0", (4000, 0)), Bar("stage 3", (2000, 6000), "twice"))),
        ("Two", (Bar("stage 3", (1000, 15_000)),)),
    ),
)
DRAWN: dict[str, Callable[[], str]] = {
    "memory": lambda: memory(STEP),
    "one area": lambda: memory(Timeline(0, (8, 0))),
    "nothing": lambda: memory(Timeline(0, ())),
    "always empty": lambda: memory(Timeline(0, (0, 0), bound=0)),
    "clock": lambda: memory(CLOCKED),
    "streams": lambda: streams(CLOCKED),
    "no streams": lambda: streams(STEP),
    "step": lambda: step(CLOCKED),
    "curves": lambda: curves(PLOT),
    "seconds": lambda: curves(Plot("A step", "seconds", (Curve("one", ((1, 0.25),)),))),
    "panels": lambda: panels(PANELS),
    "panels of layers": lambda: panels(replace(PANELS, unit=("L", 10 * 10**9))),
    "no panels": lambda: panels(replace(PANELS, panels=())),
    "bars": lambda: bars(BARS),
    "no bars": lambda: bars(replace(BARS, groups=())),
    "no curves": lambda: curves(Plot("None", "bytes", ())),
}


def read(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def text(root: ElementTree.Element, tag: str) -> str:
    found = root.find(SVG + tag)
    assert found is not None
    return found.text or ""


def labels(root: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_stands_alone(name: str) -> None:
    picture = DRAWN[name]()
    root = read(picture)
    assert root.tag == f"{SVG}svg"
    assert re.findall(r"https?:[^\"]*", picture) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"src=|href=|<script|@import", picture)
    used = set(re.findall(r"url\(#([^)]+)\)", picture))
    ids = [each.get("id") for each in root.iter() if each.get("id")]
    assert used <= set(ids)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_says_what_is_to_be_seen(name: str) -> None:
    root = read(DRAWN[name]())
    assert root.get("role") == "img"
    named = [each.get("id") for each in root if each.tag in (f"{SVG}title", f"{SVG}desc")]
    assert (root.get("aria-labelledby") or "").split() == named
    assert text(root, "title")
    assert text(root, "desc").endswith(".")


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_the_same_each_time_and_has_no_number_that_is_none(name: str) -> None:
    assert DRAWN[name]() == DRAWN[name]()
    assert not re.search(r"\b(nan|inf)\b", DRAWN[name]())


@pytest.mark.parametrize("name", DRAWN)
def test_everything_lies_within_the_picture(name: str) -> None:
    root = read(DRAWN[name]())
    _, _, width, height = map(float, (root.get("viewBox") or "").split())
    for each in root.iter():
        for key, most in (("x", width), ("x1", width), ("x2", width), ("y", height), ("y1", height), ("y2", height)):
            assert -11 <= float(each.get(key) or 0) <= most


def test_memory_tells_the_numbers_of_the_timeline() -> None:
    root = read(memory(STEP))
    assert text(root, "title") == "Memory of rank 2: peak 6,000 bytes"
    assert text(root, "desc") == (
        "5 allocations and releases: 1,000 bytes after the first, 6,000 at the peak, 1,000 after the last. "
        "The peak comes at event 3 of 5: matmul, train_step.py:30. "
        "Bytes at the peak: at rest 1,000, gathered weights 2,000, gradients 3,000. "
        "The bound of 5,000 bytes is passed by 1,000."
    )
    assert [each for each in labels(root) if each.endswith(" bytes")][-3:] == [
        "3,000 bytes",
        "2,000 bytes",
        "1,000 bytes",
    ]
    events = [each.text for each in root.iter(f"{SVG}title")][1:]
    assert events[:2] == ["1: 1,000 bytes, zeros", "2: 3,000 bytes, empty, train_step.py:30"]


def heights(root: ElementTree.Element) -> list[tuple[float, float]]:
    """Of each area its highest and its lowest point."""
    found = []
    for path in root.findall(f"{SVG}path"):
        ys = [float(y) for pair in re.findall(r"[ML][\d.]+ ([\d.]+)|V([\d.]+)", path.get("d") or "") for y in pair if y]
        found.append((min(ys), max(ys)))
    return found


def test_areas_are_stacked_to_scale() -> None:
    (rest_top, floor), (gathered_top, gathered_low), (gradient_top, _) = heights(read(memory(STEP)))
    unit = (floor - rest_top) / 1000
    assert gathered_low == rest_top
    assert gathered_low - gathered_top == pytest.approx(2000 * unit, abs=0.2)
    assert floor - gradient_top == pytest.approx(6000 * unit, abs=0.4)


def test_areas_can_be_told_apart_without_colour() -> None:
    root = read(memory(Timeline(0, (6,), parts=tuple((str(number), (1,)) for number in range(6)))))
    drawn = [pattern.find(f"{SVG}path") for pattern in root.iter(f"{SVG}pattern")]
    assert len({None if path is None else path.get("d") for path in drawn}) == 6


def test_a_long_run_keeps_its_peak_and_stays_small() -> None:
    counts = tuple(1_000_000 if index == 77_777 else index % 97 for index in range(100_000))
    picture = memory(Timeline(0, counts))
    assert "at event 77,778 of 100,000" in picture
    assert "77,778: 1,000,000 bytes" in picture
    assert len(picture) < 100_000


def test_a_clock_puts_events_where_they_were() -> None:
    aims = [each for each in read(memory(CLOCKED)).iter(f"{SVG}rect") if each.get("class") == "aim"]
    widths = [float(each.get("width") or 0) for each in aims]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.2)
    assert widths[2] == pytest.approx(widths[0], abs=0.2)
    assert "4 ms" in labels(read(memory(CLOCKED)))


def test_a_step_has_memory_and_streams_over_one_another() -> None:
    root = read(step(CLOCKED))
    assert text(root, "desc") == f"{text(read(memory(CLOCKED)), 'desc')} {text(read(streams(CLOCKED)), 'desc')}"
    aims = [each for each in root.iter(f"{SVG}rect") if each.get("class") == "aim"]
    blocks = [each for each in root.iter(f"{SVG}rect") if each.get("height") == "34"]
    begin, end = float(aims[0].get("x") or 0), float(aims[-1].get("x") or 0) + float(aims[-1].get("width") or 0)
    assert min(float(each.get("x") or 0) for each in blocks) == begin
    assert max(float(each.get("x") or 0) + float(each.get("width") or 0) for each in blocks) == pytest.approx(end)
    assert "at 1 ms" in labels(root)


def test_large_numbers_are_short_where_they_are_read_and_whole_where_they_are_told() -> None:
    picture = memory(Timeline(0, (8, 47_246_744_744), bound=80 * 10**9, parts=(("gradients", (8, 1_234_567)),)))
    assert {"Memory of rank 0: peak 47.2 GB", "at most 80 GB", "1.23 MB"} <= set(labels(read(picture)))
    assert "47,246,744,744 at the peak" in picture


def test_blocks_too_narrow_to_part_have_no_edge_and_look_as_dense_as_they_are() -> None:
    spans = tuple(Span("compute", "add", at / 10, at / 10 + 0.001) for at in range(20))
    root = read(streams(Timeline(0, (), spans=(*spans, Span("communication", "all_gather", 0, 2)))))
    blocks = [each for each in root.iter(f"{SVG}rect") if each.get("height") == "34"]
    assert [(each.get("width"), each.get("class")) for each in blocks[:20]] == [("0.3", None)] * 20
    assert blocks[20].get("class") == "edge"


def test_a_peak_too_short_for_an_area_is_a_line() -> None:
    short = Timeline(0, (8, 64, 8), seconds=(0.0, 1.0, 1.0), spans=(Span("compute", "add", 0, 2),))
    root = read(memory(short))
    stem = next(each for each in root.iter(f"{SVG}line") if each.get("class") == "stem")
    spot = next(each for each in root.iter(f"{SVG}circle"))
    assert (stem.get("x1"), stem.get("y1")) == (spot.get("cx"), spot.get("cy"))
    assert [each.get("class") for each in root.findall(f"{SVG}path")] == ["e0"]
    assert "stem" not in [each.get("class") for each in read(memory(STEP)).iter()]


def test_streams_tell_how_much_is_hidden() -> None:
    root = read(streams(CLOCKED))
    assert text(root, "desc") == (
        "Compute: 2 operations, busy for 3 ms; communication: 1 operation, busy for 2 ms. "
        "50% of the communication is hidden by compute."
    )
    blocks = [each for each in root.iter(f"{SVG}rect") if each.find(f"{SVG}title") is not None]
    assert len(blocks) == len(CLOCKED.spans)
    assert float(blocks[2].get("width") or 0) == pytest.approx(2 * float(blocks[0].get("width") or 0), abs=0.2)


def test_communication_that_nothing_hides() -> None:
    spans = (Span("communication", "all_gather", 0, 1), Span("compute", "matmul", 2, 3))
    assert "0% of the communication is hidden" in streams(Timeline(0, (), spans=spans))


def test_many_short_spans_stay_small() -> None:
    spans = tuple(Span("compute", "add", at / 1e6, (at + 1) / 1e6) for at in range(20_000))
    picture = streams(Timeline(0, (), spans=spans))
    assert "20,000 operations, busy for 20 ms" in picture
    assert len(picture) < 150_000


def test_curves_tell_where_they_pass_a_bound() -> None:
    assert text(read(curves(PLOT)), "desc") == (
        "stage 0: 16 GB at 8 devices, 16 GB at 64 devices; above 1 GB to the end. "
        "stage 3: 2 GB at 8 devices, 250 MB at 64 devices; below 1 GB from 16 devices on. "
        "yours: 4 GB at 8 devices, 0 bytes at 64 devices; below 1 GB from 64 devices on."
    )


def test_curves_are_on_axes_of_powers() -> None:
    root = read(curves(PLOT))
    path = next(each.get("d") or "" for each in root.iter(f"{SVG}path") if each.get("class") == "s1")
    (x8, y2), (x16, y1), (x64, y025) = [tuple(map(float, pair.split())) for pair in path[1:].split("L")]
    assert x64 - x16 == pytest.approx(2 * (x16 - x8), abs=0.3)
    assert y025 - y1 == pytest.approx(2 * (y1 - y2), abs=0.3)
    bound = next(each for each in root.iter(f"{SVG}line") if each.get("class") == "bound")
    assert float(bound.get("y1") or 0) == pytest.approx(y1, abs=0.1)


def test_the_first_curve_lies_on_top() -> None:
    drawn = [each.get("class") for each in read(curves(PLOT)).findall(f"{SVG}path")]
    assert [each for each in drawn if each and each.startswith("s")] == ["s2", "s1", "s0"]


def test_curves_can_be_told_apart_without_colour() -> None:
    root = read(curves(Plot("All", "bytes", tuple(Curve(f"{n}", ((1, 1), (2, 2))) for n in range(6)))))
    lines = {each.get("stroke-dasharray") for each in root.iter(f"{SVG}path") if (each.get("class") or "")[0] == "s"}
    marks = {each.get("d") for each in root.iter(f"{SVG}path") if "edge" in (each.get("class") or "")}
    assert len(lines) == len(marks) == 6


def test_a_bound_is_named_beside_the_plot() -> None:
    root = read(curves(PLOT))
    name = next(each for each in root.iter(f"{SVG}text") if each.text == "1 GB" and "over" in (each.get("class") or ""))
    line = next(each for each in root.iter(f"{SVG}line") if each.get("class") == "bound")
    assert float(name.get("y") or 0) - 5 == pytest.approx(float(line.get("y1") or 0), abs=0.1)
    assert float(line.get("x2") or 0) < float(name.get("x") or 0) < 560 - len("1 GB") * 10


def test_panels_have_one_scale() -> None:
    (first, floor), (second, below), (top, low) = heights(read(panels(PANELS)))
    assert floor - first == pytest.approx(9 * (below - second), abs=0.9)
    assert low - top == pytest.approx(2 * (below - second), abs=0.2)
    assert low == second


def test_a_panel_has_its_bound_only_where_it_reaches_it() -> None:
    root = read(panels(PANELS))
    assert len([each for each in root.iter(f"{SVG}line") if each.get("class") == "bound"]) == 1
    assert labels(root).count("80 GB") == 2  # the line's and the axis's


def test_phases_are_parted_and_named_where_there_is_room() -> None:
    root = read(panels(PANELS))
    places = {each.text: float(each.get("x") or 0) for each in root.iter(f"{SVG}text")}
    upright = [each for each in root.iter(f"{SVG}line") if each.get("x1") == each.get("x2")]
    assert [float(each.get("x1") or 0) for each in upright] == [pytest.approx(77 + 482 / 4, abs=0.1)]
    assert places["update"] - places["forward"] == pytest.approx(482 / 2, abs=0.2)
    narrow = replace(PANELS.panels[0], phases=(Phase("forward", 0, 0.2), Phase("update", 0.2, 4)))
    assert "forward" not in labels(read(panels(replace(PANELS, panels=(narrow,)))))


def test_panels_of_layers_count_in_whole_layers() -> None:
    shown = labels(read(panels(replace(PANELS, unit=("L", 29 * 10**9)))))
    assert [each for each in shown if each.endswith(" L")] == ["0 L", "1 L", "2 L", "3 L", "0 L", "1 L"]


def test_bars_have_one_scale_and_their_parts_add_up() -> None:
    root = read(bars(BARS))
    drawn = [each for each in root.iter(f"{SVG}rect") if each.get("height") == "22"]
    widths = [float(each.get("width") or 0) for each in drawn]
    assert [round(width / widths[0] * 4) for width in widths] == [4, 2, 6, 1, 15]
    assert float(drawn[2].get("x") or 0) == pytest.approx(float(drawn[1].get("x") or 0) + widths[1], abs=0.1)
    assert {"stage 0", "One micro-batch", "4 kB", "8 kB, twice", "16 kB"} <= set(labels(root))


@pytest.mark.parametrize(
    ("count", "told"),
    [(41.25e9, "41.3 GB"), (28.125e9, "28.1 GB"), (999.5e6, "1 GB"), (999_499, "999 kB"), (0, "0 bytes")],
)
def test_a_half_is_rounded_up(count: float, told: str) -> None:
    assert in_bytes(count) == told


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((tuple(Curve(str(n), ()) for n in range(7)),), "7 curves"),
        (((Curve("a", ((0, 1.0),)),),), "at least one device"),
        (((Curve("a", ((1, float("nan")),)),),), "finite"),
        (((), (Bound("none", 0),)), "above 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(parts: tuple[tuple[Curve, ...], tuple[Bound, ...]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Plot("Bad", "bytes", *parts)


@pytest.mark.parametrize("hostile", ["<script>&\"'", "\x1b[2J\x00", "\u202egnp.exe", "\ud83d", "x" * 10_000])
def test_no_text_breaks_a_picture(hostile: str) -> None:
    place = Place(hostile, 1)
    timeline = Timeline(0, (1,), (hostile,), places=(place,), spans=(Span("compute", hostile, 0, 1, place),))
    panel = Panel(hostile, hostile, ((1,), (1,)), (0,), 1, (Phase(hostile, 0, 1),))
    for picture in (
        memory(timeline),
        streams(timeline),
        curves(Plot("P", "bytes", (Curve(hostile, ((1, 1),)),))),
        panels(replace(PANELS, title=hostile, panels=(panel,))),
        bars(replace(BARS, title=hostile, groups=((hostile, (Bar(hostile, (1, 2), hostile),)),))),
    ):
        read(picture)
        assert len(picture) < 20_000
        assert all(character.isprintable() or character == "\n" for character in picture)
        assert "<script" not in picture
