"""What all pictures share: elements as text, colours with their patterns, a frame, and a key with numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

WIDTH = 560
SHOWN = 640  # pixels across where nothing says how wide, as a page has it at most
LEFT, RIGHT = 1, WIDTH - 1
MARGIN = 76  # on the left of a plot, for the numbers of its axis
ROW = 23
LONGEST = 52

# Dark on light and light on dark, each at 3:1 or more to the background; told apart by their patterns, too.
_LIGHT = ("#2463b4", "#b4460f", "#7a5af0", "#0f7b6c", "#8f6400", "#5f6b76")
_DARK = ("#6ca8f5", "#ef8e55", "#ab97f7", "#3fbfa9", "#d0a53a", "#98a4b0")
PATTERNS = (
    "M3 4h2",
    "M-2 2L2-2M0 8L8 0M6 10L10 6",
    "M2 0V8M6 0V8",
    "M0 0L8 8M0 8L8 0",
    "M0 2H8M0 6H8",
    "",
)
SLATE = 5  # the quietest colour, which has no pattern

_STYLE = """\
.picture{%(light)s;max-width:40rem;width:100%%;height:auto;font:12px system-ui,sans-serif;\
font-variant-numeric:tabular-nums}
@media screen and (prefers-color-scheme:dark){.picture{%(dark)s}}
@media (max-width:36rem){.picture{font-size:18px}}
.picture text{fill:var(--ink)}.picture .head{font-weight:600}.picture .end{text-anchor:end}
.picture .mid{text-anchor:middle}.picture .soft{fill:var(--soft)}.picture .ground{fill:var(--ground)}
.picture .grid{stroke:var(--grid)}.picture .axis{stroke:var(--soft)}
.picture .halo{paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}
.picture .bound{stroke:var(--over);stroke-width:2;stroke-dasharray:7 4}
.picture .under{stroke:var(--ground);stroke-width:6}.picture .over{fill:var(--over)}
.picture .edge{stroke:var(--ground);stroke-width:.8}.picture .hatch{stroke:var(--ground);stroke-width:1.5;fill:none}
.picture .stem{stroke:var(--ink)}.picture .spot{fill:var(--ink);stroke:var(--ground)}
.picture .aim{fill:transparent}.picture .aim:hover{fill:var(--ink);fill-opacity:.16}
%(fills)s
"""


def printable(text: object) -> str:
    """Text as it may stand in XML: escaped, and without what XML or a reader's eye cannot take.

    >>> printable("a<b\\u202e")
    'a&lt;b\\ufffd'
    """
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in str(text))
    return escape(shown)


def cut(text: str, most: int = LONGEST) -> str:
    """Text of at most ``most`` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def tag(name: str, *content: str, **attributes: object) -> str:
    """An element; ``content`` is markup. A trailing underscore, for Python's words, is left out of attribute names.

    >>> tag("line", x1=0.5, class_="grid")
    '<line x1="0.5" class="grid"/>'
    """
    pairs = "".join(f" {key.rstrip('_').replace('_', '-')}={_value(value)}" for key, value in attributes.items())
    return f"<{name}{pairs}>{''.join(content)}</{name}>" if content else f"<{name}{pairs}/>"


def _value(value: object) -> str:
    return f'"{number(value)}"' if isinstance(value, float) else quoteattr(str(value))


def number(value: float) -> str:
    """A coordinate, to a tenth.

    >>> number(2.0), number(1 / 3)
    ('2', '0.3')
    """
    return f"{value:.1f}".removesuffix(".0")


def label(x: float, y: float, text: str, style: str = "") -> str:
    """A line of text, cut where it is long."""
    return tag("text", printable(cut(text)), x=float(x), y=float(y), **({"class": style} if style else {}))


def headings(title: str, subtitle: str) -> tuple[list[str], float]:
    """The title with a quieter line below it; and where the next thing may begin."""
    return [label(LEFT, 18, title, "head"), label(LEFT, 40, subtitle, "soft")], 50.0


def line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    """A straight line."""
    return tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=style)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the key: what stands for a thing, as markup at the left end of its row, its name and its numbers."""

    sample: str
    name: str
    numbers: str = ""


def swatch(id: str, shade: int) -> str:
    """The sample of an area."""
    return tag("rect", x=LEFT, y=-11, width=20, height=13, fill=f"url(#{id}-{shade})", class_="edge")


def patterns(id: str, shades: Iterable[int]) -> str:
    """The fills of areas: a colour each with its pattern."""
    return tag(
        "defs",
        *(
            tag(
                "pattern",
                tag("rect", width=8, height=8, class_=f"f{shade}"),
                *([tag("path", d=PATTERNS[shade], class_="hatch")] if PATTERNS[shade] else []),
                id=f"{id}-{shade}",
                width=8,
                height=8,
                patternUnits="userSpaceOnUse",
            )
            for shade in shades
        ),
    )


def key(top: float, heading: str, entries: Sequence[Entry]) -> tuple[str, float]:
    """The rows of a key from ``top`` on, with a heading above their numbers; and where the next thing may begin."""
    parts = [label(RIGHT, top + 15, heading, "soft end")] if heading else []
    at = top + ROW * bool(heading)
    for entry in entries:
        inside = [entry.sample, label(LEFT + 32, 0, cut(entry.name, 30))]
        inside += [label(RIGHT, 0, entry.numbers, "end")] if entry.numbers else []
        parts.append(tag("g", *inside, transform=f"translate(0 {number(at + 15)})"))
        at += ROW
    return "".join(parts), at


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a picture shows, as markup of that height, with its title and its description in words."""

    title: str
    description: str
    height: float
    content: tuple[str, ...]

    def above(self, other: Drawing) -> Drawing:
        """This one with another below it."""
        moved = tag("g", *other.content, transform=f"translate(0 {number(self.height + ROW)})")
        return Drawing(
            self.title,
            f"{self.description} {other.description}",
            self.height + ROW + other.height,
            (*self.content, moved),
        )


def picture(id: str, drawing: Drawing) -> str:
    """A whole SVG, that stands alone or within a page; ``id`` tells the pictures of one page apart."""
    return (
        tag(
            "svg",
            tag("title", printable(drawing.title), id=f"{id}-title"),
            tag("desc", printable(drawing.description), id=f"{id}-desc"),
            tag("style", _style()),
            tag("rect", width=WIDTH, height=float(drawing.height), class_="ground"),
            *drawing.content,
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {WIDTH} {number(drawing.height)}",
            width=SHOWN,
            height=drawing.height * SHOWN / WIDTH,
            class_="picture",
            role="img",
            aria_labelledby=f"{id}-title {id}-desc",
        )
        + "\n"
    )


def _style() -> str:
    fills = "".join(
        f".picture .f{shade}{{fill:var(--c{shade})}}"
        f".picture .s{shade}{{stroke:var(--c{shade});stroke-width:2;fill:none}}"
        f".picture .e{shade}{{stroke:var(--c{shade});stroke-width:.8}}"
        for shade in range(len(_LIGHT))
    )
    light = {"ground": "#ffffff", "ink": "#1b2026", "soft": "#57606a", "grid": "#dde2e8", "over": "#b3261e"}
    dark = {"ground": "#14181d", "ink": "#e6e9ed", "soft": "#a0a9b3", "grid": "#30363d", "over": "#ff8a80"}
    return _STYLE % {"light": _variables(light, _LIGHT), "dark": _variables(dark, _DARK), "fills": fills}


def _variables(plain: dict[str, str], shades: Sequence[str]) -> str:
    named = plain | {f"c{shade}": colour for shade, colour in enumerate(shades)}
    return ";".join(f"--{name}:{colour}" for name, colour in named.items())
