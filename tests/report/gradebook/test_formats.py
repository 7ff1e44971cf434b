"""Each format of the example classes, byte for byte as in the files beside them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.gradebook import Gradebook
from grader.report.gradebook import canvas, csv, moodle, summary, text
from tests.report.gradebook.classes import FOLDER, read_class

FORMATS: dict[str, Callable[[Gradebook], str]] = {
    "gradebook.csv": csv.render,
    "summary.md": summary.render,
    "summary.txt": text.render,
    "canvas.csv": canvas.render,
    "moodle.csv": moodle.render,
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("folder", sorted(FOLDER.iterdir()), ids=lambda folder: folder.name)
def test_a_class_is_rendered_as_before(folder: Path, name: str) -> None:
    assert FORMATS[name](read_class(folder)).encode() == (folder / name).read_bytes()
