"""What is taken from a folder or a file, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import Course, Exercise
from grader.runner.submission import LARGEST, SubmissionError, read_submission

MANIFEST = """\
title: Two
lesson: two
summary: Two functions.
given: [layers.py]
functions:
  - {name: shard, file: shard.py, points: 1, summary: One., hints: [Think.]}
  - {name: train_step, file: train_step.py, points: 1, summary: Two., hints: [Think.]}
"""


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    folder = tmp_path / "course" / "exercises" / "two"
    folder.mkdir(parents=True)
    (tmp_path / "course" / "course.yml").write_text("schema: 1\ntitle: T\ndescription: D\n")
    (folder / "exercise.yml").write_text(MANIFEST)
    return Course.find(folder).exercise("two")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "train_step.py").write_bytes(b"step")
    return folder


def test_only_the_files_that_the_manifest_names_are_taken(exercise: Exercise, folder: Path) -> None:
    for name in ("shard.py", "layers.py", "conftest.py", "numpy.py"):
        (folder / name).write_bytes(name.encode())
    submission = read_submission(folder, exercise)
    assert submission.files == {"shard.py": b"shard.py", "train_step.py": b"step"}
    assert submission.homes == {"shard": "shard.py", "train_step": "train_step.py"}
    assert submission.notes == ()


@pytest.mark.parametrize(
    "name",
    [
        "shard (1).py",
        "Shard.py",
        "Shard_final.PY",
        "shard.py.txt",
        "shard - Copy.py",
        "Copy of shard.py",
        "shard_v2.py",
    ],
)
def test_a_near_name_is_told_and_the_rest_is_taken(exercise: Exercise, folder: Path, name: str) -> None:
    (folder / name).touch()
    submission = read_submission(folder, exercise)
    assert submission.notes == (f"expected shard.py, found {name!r}: rename it",)
    assert submission.homes == {"train_step": "train_step.py"}


@pytest.mark.parametrize("name", ["sharding.py", "my_shard.py", "shard.md", "shard"])
def test_another_name_is_not_taken_for_a_near_one(exercise: Exercise, folder: Path, name: str) -> None:
    (folder / name).touch()
    assert read_submission(folder, exercise).notes == ("expected shard.py, which is not there",)


def test_a_single_file_of_the_manifest_is_only_that_file(exercise: Exercise, folder: Path) -> None:
    submission = read_submission(folder / "train_step.py", exercise)
    assert submission.homes == {"train_step": "train_step.py"}


def test_a_single_file_of_another_name_holds_every_function(exercise: Exercise, folder: Path) -> None:
    (folder / "all.py").write_bytes(b"all")
    submission = read_submission(folder / "all.py", exercise)
    assert submission.files == {"all.py": b"all"}
    assert submission.homes == {"shard": "all.py", "train_step": "all.py"}


def test_a_link_out_of_the_folder_is_not_followed(exercise: Exercise, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_bytes(b"secret")
    (folder / "shard.py").symlink_to(tmp_path / "secret.py")
    submission = read_submission(folder, exercise)
    assert "shard.py" not in submission.files
    assert submission.notes == ("shard.py is a link that leads out of the folder: put the file itself there",)


def test_a_link_inside_the_folder_is_followed(exercise: Exercise, folder: Path) -> None:
    (folder / "shard.py").symlink_to("train_step.py")
    assert read_submission(folder, exercise).files["shard.py"] == b"step"


def test_a_broken_link_a_folder_and_a_large_file_are_told(exercise: Exercise, folder: Path) -> None:
    (folder / "shard.py").symlink_to("shard.py")
    (folder / "train_step.py").write_bytes(bytes(LARGEST + 1))
    first, second = read_submission(folder, exercise).notes
    assert first.startswith("shard.py ")
    assert second == "train_step.py is larger than 1 MiB"
    (folder / "shard.py").unlink()
    (folder / "shard.py").mkdir()
    assert read_submission(folder, exercise).notes[0] == "shard.py is not a file"


def test_a_file_of_the_largest_size_is_taken(exercise: Exercise, folder: Path) -> None:
    (folder / "shard.py").write_bytes(bytes(LARGEST))
    assert len(read_submission(folder, exercise).files["shard.py"]) == LARGEST


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "does not exist"),
        ("notes.txt", "is not a Python file"),
        ("large.py", "is larger than 1 MiB"),
        ("train_step.py/x", "cannot be read"),
    ],
)
def test_nothing_to_grade_is_an_error(exercise: Exercise, folder: Path, name: str, message: str) -> None:
    (folder / "notes.txt").touch()
    (folder / "large.py").write_bytes(bytes(LARGEST + 1))
    with pytest.raises(SubmissionError, match=message):
        read_submission(folder / name, exercise)
