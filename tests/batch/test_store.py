"""The folder of results: what is there is whole and the right one's, or it is not there."""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.batch.store import LONGEST_NAME, Kept, Results, ResultsError, file_stems, open_results
from grader.gradebook import Score

IDS = ["ada", "Ada", "o/../brien", "\udce9\n"]
REPORTS = {".json": "{}\n", ".html": "<p>\n"}
ADA = Kept("ada", "k1", "s1", {"f-a": Score("passed", Decimal("0.10"))}, 1.5, None, ("the last of 2",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "results"


@pytest.fixture
def results(folder: Path) -> Iterator[Results]:
    with open_results(folder, "words", IDS) as opened:
        yield opened


@given(st.lists(st.text("aA%./~é", min_size=1, max_size=3) | st.text(st.characters(), min_size=1), unique=True))
def test_names_of_files_are_safe_and_nobody_shares_one(ids: list[str]) -> None:
    stems = file_stems(ids)
    assert len({stem.lower() for stem in stems.values()}) == len(ids)
    for id, stem in stems.items():
        assert stem.isascii()
        assert not set(stem) & set("/\\:*?\"<>| '\n\0")
        assert stem[0] != "."
        assert len(stem) <= 250
        assert len(stem) > LONGEST_NAME or unquote(stem, errors="surrogatepass") == id


@pytest.mark.parametrize(
    "kept",
    [
        ADA,
        Kept("Ada", "k2", "s1", {"f-a": Score("timeout", Decimal(0)), "f-b": Score("passed", Decimal("1E+1"))}),
        Kept("o/../brien", "k3", "s2", None, reason="b.zip is cut off", notes=("a", "b")),
        Kept("\udce9\n", "k4", "s2", None, reason="the grader failed twice", fault=True),
    ],
    ids=lambda kept: kept.key,
)
def test_what_was_kept_is_what_is_read(results: Results, folder: Path, kept: Kept) -> None:
    assert results.kept(kept.id) is None
    results.keep(kept, REPORTS)
    assert results.kept(kept.id) == kept
    written_with(folder / ".batch" / "records" / f"{file_stems(IDS)[kept.id]}.json", unknown="to this version")
    assert results.kept(kept.id) == kept
    stem = file_stems(IDS)[kept.id]
    assert {ending: (folder / (stem + ending)).read_text() for ending in REPORTS} == REPORTS
    assert {file.name for file in folder.iterdir()} == {".batch", *(stem + ending for ending in REPORTS)}


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def written_with(file: Path, **other: object) -> None:
    plain = json.loads(file.read_bytes()) | other
    del plain["digest"]
    file.write_text(json.dumps(plain | {"digest": sha256(json.dumps(plain).encode()).hexdigest()}))


def of_another(file: Path) -> None:
    written_with(file, id="bob")


def newer(file: Path) -> None:
    written_with(file, format=2)


def edited(file: Path) -> None:
    file.write_text(file.read_text().replace('"0.10"', '"much"').replace("1.5", '"long"'))


def deep(file: Path) -> None:
    file.write_text("[" * 100_000)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("ada.json", Path.unlink),
        ("ada.html", Path.unlink),
        ("ada.html", cut),
        (".batch/records/ada.json", cut),
        (".batch/records/ada.json", Path.unlink),
        (".batch/records/ada.json", of_another),
        (".batch/records/ada.json", newer),
        (".batch/records/ada.json", edited),
        (".batch/records/ada.json", deep),
    ],
)
def test_what_is_not_whole_is_not_there(
    results: Results, folder: Path, name: str, spoil: Callable[[Path], None]
) -> None:
    results.keep(ADA, REPORTS)
    spoil(folder / name)
    assert results.kept("ada") is None


def test_a_record_is_never_of_other_reports(results: Results, folder: Path) -> None:
    """Not even if a regrade is stopped, and its reports are as long as those before it were."""
    results.keep(ADA, REPORTS)
    with pytest.raises(ResultsError, match="cannot be written"):
        results.keep(replace(ADA, key="k2"), {".json": "[]\n", "/in no folder": ""})
    assert (folder / "ada.json").read_text() == "[]\n"
    assert results.kept("ada") is None


def test_a_write_that_fails_leaves_what_was_there(results: Results, folder: Path) -> None:
    results.write("gradebook.csv", "old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(ResultsError, match=r"gradebook.csv cannot be written: File too large. What is graded"):
            results.write("gradebook.csv", "new" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert results.read("gradebook.csv") == "old"
    assert (folder / ".batch" / "writing").stat().st_size == 1000
    results.write("gradebook.csv", "new")
    assert results.read("gradebook.csv") == "new"
    assert not (folder / ".batch" / "writing").exists()


def test_only_one_run_at_a_time(folder: Path) -> None:
    with open_results(folder, "words", IDS), pytest.raises(ResultsError, match="another run writes into"):  # noqa: SIM117
        with open_results(folder, "words", IDS):
            pass
    with open_results(folder, "words", IDS):
        pass


def test_results_are_of_one_exercise(folder: Path) -> None:
    with open_results(folder, "words", IDS) as results:
        results.keep(ADA, REPORTS)
    with pytest.raises(ResultsError, match="holds results of words, not of pieces"), open_results(folder, "pieces", ()):
        pass
    (folder / ".batch" / "exercise.json").write_text("{}")
    with pytest.raises(ResultsError, match="is broken"), open_results(folder, "words", IDS):
        pass


def test_a_folder_of_something_else_is_refused(folder: Path) -> None:
    folder.mkdir()
    (folder / "adjustments.csv").write_text("id,points,note\n")
    with open_results(folder, "words", IDS):
        pass
    other = folder.with_name("thesis")
    other.mkdir()
    (other / "chapter.md").write_text("# One\n")
    with pytest.raises(ResultsError, match="has files in it that are not results"), open_results(other, "words", IDS):
        pass
    assert [file.name for file in other.iterdir()] == ["chapter.md"]
    with pytest.raises(ResultsError, match="Not a directory"), open_results(other / "chapter.md", "words", IDS):
        pass


def test_who_handed_in_nothing_any_more_is_known(folder: Path) -> None:
    with open_results(folder, "words", IDS) as results:
        results.keep(ADA, REPORTS)
        assert results.others() == []
    with open_results(folder, "words", ["bob"]) as results:
        assert results.others() == ["ada"]
