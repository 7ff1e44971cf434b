"""What a result depends on: each of it makes another digest, and nothing else does."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from grader.batch.digest import exercise_digest, submission_digest
from grader.course import Course, Exercise
from grader.runner import GraderFault, Submission

from .conftest import CASES


def read(course: Path) -> Exercise:
    return Course.find(course).exercise("words")


def test_the_exercise_is_its_suite_and_all_beside_it_its_manifest_and_what_is_given(tmp_path: Path) -> None:
    course = tmp_path / "course"
    shutil.copytree(CASES / "course", course)
    manifest = course / "exercises" / "words" / "exercise.yml"
    manifest.write_text(manifest.read_text() + "given: [texts.py]\n")
    (manifest.parent / "texts.py").write_text("TEXT = 'a bc'\n")
    digests = [exercise_digest(read(course))]
    suite = course / "private" / "words"
    (suite / "texts").mkdir()
    (suite / "texts" / "long.txt").write_text("a bc def\n")
    for file in (suite / "test_words.py", suite / "texts" / "long.txt", manifest, manifest.parent / "texts.py"):
        file.write_text(file.read_text() + "# more\n")
        digests.append(exercise_digest(read(course)))
    assert len(set(digests)) == len(digests)
    (suite / "__pycache__").mkdir(exist_ok=True)
    (suite / "__pycache__" / "test_words.cpython-312.pyc").write_bytes(b"")
    for left_behind in (suite / ".pytest_cache", suite / "mutants" / "wrong"):
        left_behind.mkdir(parents=True)
        (left_behind / "words.py").write_text("")
    (manifest.parent / "README.md").write_text("Another brief.\n")
    moved = shutil.copytree(course, tmp_path / "moved")
    exercise = read(course)
    assert exercise_digest(exercise) == exercise_digest(read(moved)) == digests[-1]
    (manifest.parent / "texts.py").unlink()
    with pytest.raises(GraderFault, match="it cannot be read: No such file or directory") as fault:
        exercise_digest(exercise)
    assert fault.value.file == str(manifest.parent / "texts.py")


def submission(files: Mapping[str, bytes], homes: Mapping[str, str], *notes: str) -> Submission:
    return Submission(files, homes, notes)


def test_a_submission_is_its_files_their_names_and_notes_and_the_seed() -> None:
    one, homes = {"a.py": b"x", "b.py": b"y"}, {"f": "a.py"}
    different = [
        (submission(one, homes), 1, "s1"),
        (submission(one, homes), 2, "s1"),
        (submission(one, homes), 1, "s2"),
        (submission(one, homes, "the last of 2"), 1, "s1"),
        (submission(one, {"f": "b.py"}), 1, "s1"),
        (submission({"a.py": b"x", "b.py": b"z"}, homes), 1, "s1"),
        (submission({"a.py": b"x"}, homes), 1, "s1"),
        ("a.zip is cut off", 1, "s1"),
        ("a.zip has a link", 1, "s1"),
    ]
    assert len({submission_digest(*each) for each in different}) == len(different)


@pytest.mark.parametrize("order", [("a.py", "b.py"), ("b.py", "a.py")])
def test_the_order_of_files_is_nothing(order: tuple[str, str]) -> None:
    files = {name: name.encode() for name in order}
    same = submission({"a.py": b"a.py", "b.py": b"b.py"}, {})
    assert submission_digest(submission(files, {}), 1, "s") == submission_digest(same, 1, "s")
