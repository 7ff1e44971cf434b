"""Which addresses of a page are external, and where they stand."""

from __future__ import annotations

from grader.course.markdown import read_page
from grader.links import mentions

PAGE = read_page(
    "a.md",
    b"""# A

[one](https://a.org/x#part) and [again](https://a.org/x#other), <https://b.org>, [ref].

[page](b.md), [mail](mailto:a@b.org), [ours](http://example.com/x), [too](https://shop.example), `https://code.org`

<a href="http://c.org/?q=1&amp;r=2">c</a> ![](HTTPS://d.org/p.png) [odd](http://[)

[ref]: https://e.org
""",
)


def test_each_address_once_with_its_places() -> None:
    found = mentions([PAGE])
    assert list(found) == [
        "https://a.org/x", "https://b.org", "https://e.org", "http://c.org/?q=1&r=2", "HTTPS://d.org/p.png", "http://[",
    ]  # fmt: skip
    assert [(place.path, place.span.line, place.span.column) for place in found["https://a.org/x"]] == [
        ("a.md", 3, 1),
        ("a.md", 3, 33),
    ]


def test_ignored_addresses_are_left_out() -> None:
    assert list(mentions([PAGE], [r"^https://[abe]\.org", r"\.png$", r"\[$"])) == ["http://c.org/?q=1&r=2"]
