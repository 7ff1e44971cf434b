"""What a class handed in is found, and under whose id: the cases are files."""

from __future__ import annotations

import os
import shutil
import tracemalloc
from pathlib import Path

import pytest

from grader.batch import CollectError, HandedIn, collect, read_roster
from grader.course import yaml

CASES = Path(__file__).parents[1] / "cases"
METADATA = CASES / "gradescope" / "submission_metadata.yml"


def make(folder: Path, names: list[str]) -> None:
    folder.mkdir()
    for name in names:
        if name.endswith("/"):
            (folder / name).mkdir(parents=True)
        else:
            (folder / name).touch()


def plain(handed_in: HandedIn) -> dict[str, object]:
    """A hand-in as a case writes it."""
    files = {name: path.name for name, path in handed_in.files}
    optional = {"files": files, "notes": list(handed_in.notes)}
    return {
        "id": handed_in.id,
        "source": handed_in.source,
        **{key: value for key, value in optional.items() if value},
    }


@pytest.mark.parametrize("case", sorted((CASES / "handed_in").glob("*.yml")), ids=lambda file: file.stem)
def test_cases(case: Path, tmp_path: Path) -> None:
    data = yaml.parse(case.read_text()).data
    folder = tmp_path / "class"
    make(folder, data["names"])
    if "metadata" in data:
        shutil.copy(METADATA, folder / data["metadata"])
    roster = None
    if "roster" in data:
        (tmp_path / "roster.csv").write_text(data["roster"])
        roster = read_roster(tmp_path / "roster.csv")
    if "error" in data:
        with pytest.raises(CollectError) as raised:
            collect(folder, roster)
        assert data["error"] in str(raised.value)
        return
    collected = collect(folder, roster)
    assert [plain(each) for each in collected.handed_in] == data["handed_in"]
    assert [person.id for person in collected.absent] == data.get("absent", [])
    by_id = {person.id: person for person in roster or ()}
    for each in collected.handed_in:
        assert each.person == by_id.get(each.id)
        assert os.path.lexists(each.path)


def test_no_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CollectError, match="nothing does not exist: expected the folder"):
        collect(tmp_path / "nothing")
    (tmp_path / "class.zip").touch()
    with pytest.raises(CollectError, match=r"class\.zip is no folder: if it is an archive .*, unpack it first"):
        collect(tmp_path / "class.zip")


def test_a_name_that_cannot_be_printed_is_escaped(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).touch()
    (tmp_path / "a\x1b[31m\n.py").touch()
    assert [each.id for each in collect(tmp_path).handed_in] == ["a\\x1b[31m\\n", "caf\\xe9"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"submission_1:\n  :submitters: [\n", r"submission_metadata\.yml:\d+:\d+: "),
        (b"- one\n- two\n", "is not what Gradescope exports"),
        (b"submission_1: text\n", "is not what Gradescope exports"),
        (b"submission_1:\n  :submitters: text\n", "is not what Gradescope exports"),
        (b"submission_1:\n  :submitters: [text]\n", "is not what Gradescope exports"),
        (b"\xff", "is not what Gradescope exports"),
    ],
)
def test_metadata_that_is_none_is_an_error(tmp_path: Path, content: bytes, message: str) -> None:
    make(tmp_path / "class", ["submission_1/"])
    (tmp_path / "class" / "submission_metadata.yml").write_bytes(content)
    with pytest.raises(CollectError, match=message):
        collect(tmp_path / "class")


def test_a_time_that_is_none_decides_nothing(tmp_path: Path) -> None:
    make(tmp_path / "class", ["submission_9/", "submission_10/"])
    entry = "  :submitters:\n  - :email: ann@uni.example\n  :created_at: "
    text = f"submission_10:\n{entry}yesterday\nsubmission_9:\n{entry}2026-11-30 10:00:00\n"
    (tmp_path / "class" / "submission_metadata.yml").write_text(text)
    (found,) = collect(tmp_path / "class").handed_in
    assert found.notes == ("2 hand-ins; the last, submission_10, counts: its name is the last in order",)


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "class")
    with pytest.raises(CollectError, match="class is no folder"):
        collect(tmp_path / "class")
    (tmp_path / "submission_metadata.yml").symlink_to("submission_metadata.yml")
    with pytest.raises(CollectError, match=r"submission_metadata\.yml cannot be read: "):
        collect(tmp_path)


def test_a_large_class_takes_little_memory(tmp_path: Path) -> None:
    """Its files are not opened, and 1 KiB each is enough for what is known of them."""
    for number in range(2_000):
        (tmp_path / f"student{number}.zip").touch()
    tracemalloc.start()
    collected = collect(tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(collected.handed_in) == 2_000
    assert peak < 2_000 * 2_048
