"""What is taken of a folder, of loose files and of a single one, and where the exercise's files may lie."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from grader.batch import HandedIn, archives, collect, read_handed_in
from grader.runner import Submission, SubmissionError, read_submission
from grader.runner.submission import LARGEST

from .packing import ALL, NAMES, PIECES, handed_in, pack, read

HOMES = {"keep": "keep.py", "total": "total.py", "share": "share.py"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ann").mkdir()
    return tmp_path / "ann"


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("top", ["", "work/", "exercises/pieces/", "lesson-main/exercises/pieces/"])
def test_a_folder_is_read_where_its_files_are(folder: Path, top: str) -> None:
    write(folder, {f"{top}{name}": content for name, content in ALL})
    write(folder, {".git/keep.py": b"git", "__MACOSX/keep.py": b"mac", "exercises/pieces/.pristine/keep.py": b"stub"})
    write(folder, {"exercises/other/keep.py": b"other", "work/deep/keep.py": b"deep"})
    assert read(folder) == Submission(dict(ALL), HOMES)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"keep.py": b"k"},
        {"keep (1).py": b"k", "total.py": bytes(LARGEST + 1), "share.py.txt": b"s"},
        dict(ALL),
    ],
)
def test_a_folder_gives_what_a_learner_is_told_at_home(folder: Path, files: dict[str, bytes]) -> None:
    write(folder, {"readme.txt": b"", **files})
    assert read(folder) == read_submission(folder, PIECES)


def test_an_empty_folder_is_refused(folder: Path) -> None:
    (folder / "inner").mkdir()
    with pytest.raises(SubmissionError, match=r"^ann is empty: hand in the files of the exercise$"):
        read(folder)


def test_two_places_are_not_guessed_at(folder: Path) -> None:
    write(folder, {"old/keep.py": b"old", "new/keep.py": b"new", "new/total.py": b"new"})
    with pytest.raises(SubmissionError) as raised:
        read(folder)
    assert str(raised.value) == (
        "ann holds files of the exercise in several places, 'new' and 'old': leave them in one"
    )
    write(folder, dict.fromkeys(NAMES, b"top"))
    submission = read(folder)
    assert set(submission.files.values()) == {b"top"}
    assert submission.notes == (
        "taken from the top folder, which alone holds all files; others are in 'new' and 'old'",
    )
    write(folder, {f"old/{name}": b"old" for name in NAMES})
    with pytest.raises(SubmissionError, match="in several places, the top folder and 'new' and 'old'"):
        read(folder)


def test_links_are_followed_within_the_folder_only(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, {"secret/keep.py": b"secret", "secret/pieces/keep.py": b"secret"})
    write(folder, {"notes/real.py": b"real"})
    (folder / "keep.py").symlink_to("notes/real.py")
    (folder / "total.py").symlink_to(tmp_path / "secret" / "keep.py")
    (folder / "share.py").symlink_to("share.py")
    (folder / "linked").symlink_to(tmp_path / "secret")
    (folder / "exercises").symlink_to(tmp_path / "secret")
    submission = read(folder)
    assert submission.files == {"keep.py": b"real"}
    assert submission.notes[0] == "total.py is a link that leads out of the folder: put the file itself there"
    assert submission.notes[1].startswith("share.py ")
    assert len(submission.notes) == 2


def test_pipes_and_sockets_do_not_hang(folder: Path) -> None:
    os.mkfifo(folder / "keep.py")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(os.path.relpath(folder / "total.py"))
        assert read(folder).notes[:2] == ("keep.py is not a file", "total.py is not a file")


@pytest.mark.parametrize("name", ["ann.zip", "ann.py"])
def test_a_hand_in_that_is_a_link_or_a_pipe_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).symlink_to(tmp_path)
    with pytest.raises(SubmissionError, match=rf"^{name} is a link: put the file itself there$"):
        read(tmp_path / name)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(SubmissionError, match=rf"^{name} is neither a folder nor"):
        read(tmp_path / name)
    (tmp_path / name).unlink()
    with pytest.raises(SubmissionError, match=rf"^{name} cannot be read: No such file"):
        read(tmp_path / name)


def test_too_many_files_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.batch.reading.MOST_MEMBERS", 9)
    write(folder, {f"{place}{number}": b"" for number in range(5) for place in ("", "a/")})
    with pytest.raises(SubmissionError, match="holds more than"):
        read(folder)


@pytest.mark.parametrize("name", ["work.zip", "deep/work.tar.gz"])
def test_an_archive_in_a_folder_is_read(folder: Path, name: str) -> None:
    write(folder, {name: pack("gz", [(f"w/{name}", content) for name, content in ALL]), "readme.txt": b""})
    assert read(folder).files == dict(ALL)


def test_an_archive_in_a_folder_that_is_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, {"other.zip": pack("zip", ALL)})
    (folder / "work.zip").symlink_to(tmp_path / "other.zip")
    with pytest.raises(SubmissionError) as raised:
        read(folder)
    assert str(raised.value) == f"ann holds 'work.zip', which {archives.LINK}"


def test_a_single_file_holds_every_function(tmp_path: Path) -> None:
    assert read(handed_in(tmp_path, "ann.py", b"all")) == Submission({"ann.py": b"all"}, dict.fromkeys(HOMES, "ann.py"))
    with pytest.raises(SubmissionError, match=r"^ann\.py is larger than 1 MiB$"):
        read(handed_in(tmp_path, "ann.py", bytes(LARGEST + 1)))


def test_loose_files_of_one_user_are_read_by_their_own_names(tmp_path: Path) -> None:
    for number, (name, content) in enumerate(ALL):
        (tmp_path / f"doejane_7_{number}_{name}").write_bytes(content)
    (tmp_path / "leekim_8_10_total-3.py").write_bytes(b"t")
    (tmp_path / "limaana_9_11_all my work.py").write_bytes(b"all")
    (tmp_path / "nils_10_12_work-1.zip").write_bytes(pack("zip", ALL))
    (tmp_path / "omar_11_13_keep.py").write_bytes(b"k")
    (tmp_path / "omar_11_14_share.py").symlink_to("doejane_7_2_share.py")
    read_so = {each.id: read_handed_in(each, PIECES) for each in collect(tmp_path).handed_in}
    assert read_so["7"] == read_so["10"] == Submission(dict(ALL), HOMES)
    assert read_so["8"] == Submission({"total.py": b"t"}, {"total": "total.py"})
    assert set(read_so["9"].homes.values()) == {"all my work.py"}
    assert read_so["11"].files == {"keep.py": b"k"}
    assert f"share.py {archives.LINK}" in read_so["11"].notes


def test_a_hand_in_of_loose_files_names_itself(tmp_path: Path) -> None:
    files = tuple((f"{name}.txt", tmp_path / name) for name in "ab")
    submission = read_handed_in(HandedIn("ann", "a and 1 more file", tmp_path / "a", files=files), PIECES)
    assert submission.files == {}
    assert len(submission.notes) == len(NAMES)
