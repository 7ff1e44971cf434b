"""The report as a web page, over the example grades in tests/cases/reports."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path

import pytest

import grader.report
from grader.pictures import memory
from grader.report import Options, render
from grader.results import Grade, Held, Place, RankRow, RankTable, Span, Timeline, grade_from_plain
from grader.results import Memory as MemoryDetail

CASES = Path(__file__).parents[1] / "cases" / "reports"
NAMES = sorted(file.stem for file in CASES.glob("*.json"))
BLOCKS = {"td", "th", "dt", "dd", "li", "p", "pre", "caption"}
VOID = {"meta", "br", "hr", "img", "input", "link"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
STYLE = (Path(grader.report.__file__).parent / "html.css").read_text("utf-8")


def load(name: str) -> Grade:
    return grade_from_plain(json.loads((CASES / f"{name}.json").read_text("utf-8")))


def page(name: str) -> str:
    return render(load(name), "html")


class Tree(HTMLParser):
    """What a page is made of: it must be nested as it should be. ``words`` is what is read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in BLOCKS:
            self.words += " "

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert "svg" in self.open or tag == "svg"
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def read(name: str) -> Tree:
    return Tree(page(name))


def squeezed(text: str) -> str:
    return " ".join(text.replace("`", "").split())


def with_detail(detail: Timeline | RankTable | MemoryDetail, **changes: object) -> Grade:
    grade = load("details")
    first = dataclasses.replace(grade.criteria[0], detail=detail, **changes)  # type: ignore[arg-type]
    return dataclasses.replace(grade, criteria=(first, *grade.criteria[1:]))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_well_formed_and_has_landmarks(name: str) -> None:
    tree = read(name)
    assert [len(tree.all(tag)) for tag in ("html", "head", "body", "header", "main", "footer", "h1", "title")][:7] == [
        1
    ] * 7
    assert tree.all("html")[0]["lang"] == "en"
    levels = [int(tag[1]) for tag, _ in tree.tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in zip([0, *levels], levels, strict=False))
    ids = [attributes["id"] for _, attributes in tree.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {attributes["href"] for attributes in tree.all("a")}
    assert links <= {f"#{id}" for id in ids}


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_complete_in_itself(name: str) -> None:
    text = page(name)
    assert set(re.findall(r"https?:[^\s\"'<]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<script|<link|<iframe|<img|\ssrc=|\son\w+=|@import|javascript:", text)
    assert len(text) < 150_000


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_the_same_each_time(name: str) -> None:
    assert page(name) == page(name) == render(load(name), "html", Options(width=40, colour=True, verbose=True))


@pytest.mark.parametrize("name", NAMES)
def test_no_control_character_gets_through(name: str) -> None:
    text = page(name)
    text.encode("utf-8")
    assert all(character.isprintable() or character == "\n" for character in text)


def test_what_learners_wrote_is_text() -> None:
    markup = "</pre><script>alert(1)</script><b onclick=x>&amp;\"'"
    place = Place(markup, 3, markup)
    grade = load("hostile")
    criterion = dataclasses.replace(
        grade.criteria[0], call=markup, expected=markup, actual=markup, output=markup, hint=markup, title=markup,
        where=place, message=markup, detail=RankTable((RankRow(0, markup, None, markup, place),)), blocked_by=(markup,),
    )  # fmt: skip
    others = (
        dataclasses.replace(criterion, id="b", status="blocked", detail=None),
        dataclasses.replace(criterion, id="m", detail=MemoryDetail(((markup, 1),), 0, (Held(1, place),))),
        dataclasses.replace(criterion, id="t", detail=Timeline(0, (1,), (markup,), places=(place,))),
    )
    whole = dataclasses.replace(
        grade, title=markup, notes=(markup,), criteria=(criterion, *others), fences=(markup,), versions={markup: markup}
    )
    text = render(whole, "html")
    tree = Tree(text)
    assert not tree.all("script")
    assert not tree.all("b") or all(set(each) == {"style"} for each in tree.all("b"))
    assert "&amp;amp;" in text
    assert tree.words.count("<script>alert(1)") > 10


@pytest.mark.parametrize("name", NAMES)
def test_a_page_tells_what_the_text_tells(name: str) -> None:
    """Each word of the text, with every option, is on the page, but for what draws bars and charts."""
    text = render(load(name), "text", Options(width=100, verbose=True, timeline=True))
    words = set(re.findall(r"[\w.:,()'-]{3,}", text)) - {"PASSED", "FAILED", "TIMEOUT", "ERROR", "Nothing", "..."}
    told = re.sub(r"\s+", " ", read(name).words)
    missing = {word for word in words if word.strip(".,:;()-'") not in told}
    broken = {word for word in missing if not re.search(r"^[\w]+$|\.\.", word)}
    assert not broken
    assert len(missing) <= 12, missing


@pytest.mark.parametrize("name", [name for name in NAMES if "hidden" not in name])
def test_every_criterion_is_there_with_its_status_and_points(name: str) -> None:
    grade, tree = load(name), read(name)
    words = squeezed(tree.words)
    ids = {attributes.get("id") for _, attributes in tree.tags}
    functions = {function.name for function in grade.functions}
    for place, criterion in enumerate(grade.criteria):
        if criterion.function in functions:
            assert f"criterion-{place}" in ids
            assert squeezed(criterion.title) in words
            assert criterion.id in words


def test_a_failure_has_everything_that_explains_it() -> None:
    words = squeezed(read("mixed").words)
    for told in (
        "FAILED gives the gathered storage back release-frees, 0 of 4 points, 0 of 4 cases",
        "called release(full), shape (8, 4), float32, on 4 ranks",
        "expected 32 bytes on the device, as before the gather",
        "got 160 bytes, the same on all 4 ranks",
        "after release 160 128 too many",
        "128 gather.py:11 out = group.device.empty(whole, local.dtype)",
        "printed [rank 0] releasing (8, 4)",
        "hint del forgets one name;",
        "rank waits in shape dtype your line 0 all_gather_into_tensor (2, 3) float32 gather.py:12",
        "at fits.py:6 def fits(",
        "Next: fix gather, a size that does not divide evenly (gather.py, line 12), then course grade",
        "Stuck? course hint exercises/lesson10 gather",
        "Seed 1.",
        "Fences: rlimits, landlock, seccomp.",
        "Versions: course 0.1.0",
    ):
        assert told in words


def test_passed_criteria_are_folded() -> None:
    tree = read("mixed")
    assert len(tree.all("details")) == len(tree.all("summary")) > 0
    assert not [attributes for attributes in tree.all("details") if "open" in attributes]
    assert "8 passed" in tree.words


def test_hidden_criteria_show_no_values() -> None:
    text = page("hidden-failed")
    assert "SECRET" not in text
    assert "Hidden criteria: " in text
    assert "gather.py:9" in text


def test_a_broken_suite_gives_no_score() -> None:
    words = read("suite-error").words
    assert "no score" in words
    assert not re.search(r"\d of \d+ points", words)
    assert "the suite is broken here" in words


def test_a_timeline_is_drawn_with_its_numbers() -> None:
    timeline = Timeline(
        1, (10, 1310, 10), ("zeros", "matmul", "release"), 900,
        (("at rest", (10, 10, 10)), ("gradients", (0, 1300, 0))), (None, Place("train_step.py", 7), None),
        (0.0, 0.5, 1.0), (Span("compute", "matmul", 0.0, 1.0),),
    )  # fmt: skip
    text = render(with_detail(timeline), "html")
    assert memory(timeline, "criterion-0-memory").strip() in text
    assert "Streams of rank 1" in text
    words = squeezed(Tree(text).words)
    assert "2 matmul train_step.py:7 1,310 10 1,300" in words
    for drawn in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
        ElementTree.fromstring(drawn)


def test_a_long_timeline_says_how_much_is_left_out() -> None:
    text = render(with_detail(Timeline(0, tuple(range(10_000)))), "html")
    assert "... 9,840 events left out ..." in text
    assert len(text) < 150_000


def test_a_table_of_many_ranks_is_cut() -> None:
    table = RankTable(tuple(RankRow(rank, "all_reduce", (3,), "float32") for rank in range(1024)))
    words = Tree(render(with_detail(table), "html")).words
    assert "... 1,012 ranks left out ..." in words
    assert "1023 all_reduce" in words


def test_bars_are_as_long_as_the_numbers() -> None:
    text = page("mixed")
    widths = re.findall(r'<i style="width:([\d.]+)%">', text)
    shares = [100 * function.earned / function.points for function in load("mixed").functions]
    assert [Decimal(width) for width in widths[: len(shares)]] == [round(share, 1) for share in shares]
    assert widths[len(shares) :] == ["20.0", "100.0", "100.0"]


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def themes(style: str, names: str) -> list[dict[str, str]]:
    """The colours by name, light and dark."""
    rules = re.findall(rf"{names}\{{([^}}]*--ground[^}}]*)\}}", style)
    return [dict(re.findall(r"--([\w-]+):(#[0-9a-f]+)", rule)) for rule in rules]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(theme: int) -> None:
    colours = themes(STYLE, ":root")[:2][theme]
    for ground in ("ground", "card", "code"):
        for ink in ("ink", "soft", "link", "good", "bad", "odd"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    assert contrast(colours["on-mark"], colours["mark"]) >= 4.5
    assert contrast(colours["full"], colours["card"]) >= 3
    drawn = themes(memory(Timeline(0, (1,))), r"\.picture")[theme]
    assert all(contrast(drawn[ink], drawn["ground"]) >= 4.5 for ink in ("ink", "soft", "over"))
    assert all(contrast(colour, drawn["ground"]) >= 3 for name, colour in drawn.items() if re.fullmatch(r"c\d", name))


MEASURE = """<!DOCTYPE html><style>iframe{border:0}</style><body><pre id="told"></pre><script>
addEventListener("load", () => {
  const told = [];
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument.documentElement;
    for (const fold of page.querySelectorAll("details")) fold.open = true;
    told.push([page.clientWidth, page.scrollWidth, frame.contentDocument.querySelectorAll("svg").length]);
  }
  document.getElementById("told").textContent = "told " + JSON.stringify(told) + " end";
});
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_nothing_is_wider_than_a_phone(tmp_path: Path) -> None:
    grades = [load(name) for name in NAMES]
    long = dataclasses.replace(grades[0].criteria[0], status="failed", actual="x" * 5000, call="y" * 500)
    grades.append(dataclasses.replace(grades[0], criteria=(long, *grades[0].criteria[1:])))
    frames = "".join(
        f'<iframe style="width:375px;border:0" srcdoc="{html.escape(render(each, "html"))}"></iframe>'
        for each in grades
    )
    told = json.loads(shown(tmp_path, MEASURE + frames))
    assert [wide for wide, needs, _ in told if needs > wide] == []
    assert [wide for wide, _, _ in told] == [375] * len(grades)
    assert max(drawn for _, _, drawn in told) > 1


LOOK = """<script>
addEventListener("load", () => {
  const told = [...document.querySelectorAll("svg.picture")].map(picture => ({
    wide: picture.viewBox.baseVal.width,
    ground: getComputedStyle(picture.querySelector(".ground")).fill,
    ink: getComputedStyle(picture.querySelector("text")).fill,
    size: getComputedStyle(picture).fontSize,
    texts: [...picture.querySelectorAll("text")].map(text => {
      const box = text.getBBox();
      return [text.textContent, box.x, box.x + box.width];
    }),
  }));
  document.body.insertAdjacentHTML("beforeend", "<pre>told " + JSON.stringify(told) + " end</pre>");
});
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize(("scheme", "width", "size"), [("dark", 520, "18px"), ("light", 1200, "12px")])
def test_pictures_are_readable_on_narrow_and_wide_and_light_and_dark_screens(
    tmp_path: Path, width: int, size: str, scheme: str
) -> None:
    report = page("details").replace("<details", "<details open").replace("</body>", LOOK + "</body>")
    chosen = f"--blink-settings=preferredColorScheme={['dark', 'light'].index(scheme)}"
    told = json.loads(html.unescape(shown(tmp_path, report, f"--window-size={width},900", chosen)))
    assert len(told) == 2
    light, dark = themes(memory(Timeline(0, (1,))), r"\.picture")
    colours = dark if scheme == "dark" else light
    for picture in told:
        assert (picture["ground"], picture["ink"]) == (rgb(colours["ground"]), rgb(colours["ink"]))
        assert picture["size"] == size
        assert [text for text in picture["texts"] if text[1] < -1 or text[2] > picture["wide"] + 1] == []


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


def shown(folder: Path, text: str, *options: str) -> str:
    """What a page's script told between "told" and "end" when Chromium had shown it."""
    file = folder / "shown.html"
    file.write_text(text, "utf-8")
    ended = subprocess.run(
        [
            str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--dump-dom",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}", *options, file.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    found = re.search(r"told (\[.*?\]) end", ended.stdout, re.DOTALL)
    assert found is not None, ended.stderr
    assert "CONSOLE" not in ended.stderr
    return found[1]
