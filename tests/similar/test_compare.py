"""Which submissions look copied: planted copies are found, and people who wrote for themselves are left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course import Course, Exercise
from grader.likeness import Remark
from grader.runner.submission import Submission, SubmissionError, take
from grader.similar import Compared
from grader.similar import compare as compare_submissions
from grader.similar.tokens import LONGEST, tokens

ROOT = Path(__file__).parents[2]
COURSE = Course.read(ROOT / "course.yml")
LEAST = Fraction(6, 10)

Files = Mapping[str, bytes]


def folder(path: Path) -> Files:
    return {file.name: file.read_bytes() for file in sorted(path.glob("*.py"))}


def designs(exercise: str) -> dict[str, Files]:
    """Right solutions that differ in how they store a shard."""
    return {each.name: folder(each) for each in sorted((ROOT / "tests" / "suites" / exercise / "designs").iterdir())}


def compare(people: Mapping[str, Files], exercise: Exercise, least: Fraction) -> Compared:
    return compare_submissions({id: Submission(files, {}) for id, files in people.items()}, exercise, least)


def shown(compared: Compared) -> list[tuple[str, str]]:
    return [(pair.left.id, pair.right.id) for pair in compared.likeness.pairs]


@pytest.fixture(scope="module")
def exercise() -> Exercise:
    return COURSE.exercise("lesson10")


@pytest.fixture(scope="module")
def original() -> Files:
    return folder(ROOT / "tests" / "suites" / "lesson10" / "designs" / "uneven_rows")


def rewritten(files: Files, *changes: tuple[str, str]) -> Files:
    """``files`` with text replaced, all of which must have been there."""
    text = {name: content.decode() for name, content in files.items()}
    for old, new in changes:
        assert any(old in each for each in text.values())
        text = {name: each.replace(old, new) for name, each in text.items()}
    return {name: each.encode() for name, each in text.items()}


def renamed(files: Files) -> Files:
    names = ("full", "world_size", "own_rows", "table", "more", "longest", "padded", "parts", "owned")
    return rewritten(files, *((name, f"my_{name[::-1]}") for name in names))


def reordered(files: Files) -> Files:
    head, first, second = files["shard.py"].decode().split("\n\n\n")
    return {**files, "shard.py": "\n\n\n".join([head, second, first]).encode()}


def commented(files: Files) -> Files:
    with_comments = {}
    for name, content in files.items():
        with_comments[name] = content.replace(b"\n    ", b"\n\n    # What follows is mine.\n    ")
    return with_comments


def laid_out(files: Files) -> Files:
    changed = rewritten(files, ("(", "(\n            "), (" = ", "="), ("    return", "  \n    return"), ("\n", "\r\n"))
    return {name: b"\xef\xbb\xbf" + content for name, content in changed.items()}


def moved(files: Files) -> Files:
    return {"gather.py": files["shard.py"] + files["gather.py"], "reduce_gradient.py": files["reduce_gradient.py"]}


@pytest.mark.parametrize("disguise", [dict, renamed, reordered, commented, laid_out, moved])
def test_a_copy_is_found_in_any_disguise(exercise: Exercise, original: Files, disguise: object) -> None:
    assert callable(disguise)
    copy = disguise(original)
    compared = compare({**designs("lesson10"), "copy": copy}, exercise, LEAST)
    assert shown(compared) == [("copy", "uneven_rows")]
    (pair,) = compared.likeness.pairs
    assert min(pair.left.share, pair.right.share) > Fraction(9, 10)


@pytest.mark.parametrize("id", COURSE.exercises())
def test_right_solutions_of_many_designs_are_not_pairs(id: str) -> None:
    compared = compare(designs(id), COURSE.exercise(id), LEAST)
    assert compared.likeness.submissions > 5
    assert shown(compared) == []


@pytest.mark.parametrize("id", COURSE.exercises())
def test_what_was_given_to_all_makes_no_pair(id: str) -> None:
    """Stubs, given files, and the reference, in whatever words."""
    exercise = COURSE.exercise(id)
    assert exercise.suite is not None
    given = {name: (exercise.folder / name).read_bytes() for name in exercise.given}
    stubs = {name: exercise.pristine(name).read_bytes() for name in exercise.files}
    reference = commented(folder(exercise.suite / "reference"))
    people = {"a": stubs | given, "b": stubs | given, "c": reference, "d": reference}
    compared = compare(people, exercise, Fraction(1, 100))
    assert shown(compared) == []
    assert [remark.id for remark in compared.likeness.remarks] == ["a", "b", "c", "d"]


def test_who_wrote_less_has_the_larger_share(exercise: Exercise, original: Files) -> None:
    """One of the two has only one function of the other; at a larger share the pair is not shown."""
    part = {"gather.py": original["gather.py"]}
    compared = compare({"all": original, "part": part}, exercise, Fraction(1))
    (pair,) = compared.likeness.pairs
    assert pair.right.share == pair.share == 1
    assert pair.left.share < Fraction(1, 2)
    mixed = {"gather.py": original["gather.py"] + designs("lesson10")["flat_padded"]["shard.py"]}
    compared = compare({"all": original, "mixed": mixed}, exercise, Fraction(1, 10))
    share = compared.likeness.pairs[0].share
    assert shown(compare({"all": original, "mixed": mixed}, exercise, share)) == [("all", "mixed")]
    assert shown(compare({"all": original, "mixed": mixed}, exercise, share + Fraction(1, 1000))) == []


def test_the_most_alike_come_first(exercise: Exercise, original: Files) -> None:
    other = designs("lesson10")["rows_padded_with_anything"]
    mixed = original | {"shard.py": other["shard.py"]}
    compared = compare({"c": original, "b": mixed, "a": dict(original)}, exercise, LEAST)
    assert shown(compared) == [("a", "c"), ("a", "b"), ("b", "c")]


def test_what_a_few_lines_have_alike_is_chance(exercise: Exercise) -> None:
    few = {"shard.py": b"def shard(full, rank, world_size):\n    return [x for x in full if x.owner == rank][:9]\n"}
    compared = compare({"a": few, "b": few}, exercise, Fraction(1, 100))
    assert shown(compared) == []
    assert "too little of its own" in compared.likeness.remarks[0].text


def test_what_a_quarter_of_a_large_class_has_is_nobodys(exercise: Exercise, original: Files) -> None:
    people = {f"{number:02}": original for number in range(10)} | designs("lesson10")
    del people["uneven_rows"]
    assert len(shown(compare(people, exercise, LEAST))) == 45
    compared = compare(people | {"one more": original}, exercise, LEAST)
    assert shown(compared) == []
    assert compared.likeness.common == 10
    assert sum("too little" in remark.text for remark in compared.likeness.remarks) == 11


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"def shard(full:\n" + b"  x = (full[3] + 4) / {'a'\n" * 9, None),
        ("# Größe\n".encode("latin-1") + b"value = [1, 2, 3] * (4 + 5)\n" * 9, "shard.py is not UTF-8"),
        (b"value = [1, 2, 3] * (4 + 5)\n" * LONGEST, "shard.py is long"),
        (bytes(range(256)) * 9, "shard.py is not UTF-8"),
    ],
    ids=["no Python", "no UTF-8", "long", "bytes"],
)
def test_files_that_python_does_not_take_are_compared(exercise: Exercise, content: bytes, said: str | None) -> None:
    compared = compare({"a": {"shard.py": content}, "b": {"shard.py": content}}, exercise, LEAST)
    assert shown(compared) == [("a", "b")]
    assert len(compared.likeness.remarks) == (0 if said is None else 2)
    assert all(said is not None and said in remark.text for remark in compared.likeness.remarks)


@pytest.mark.parametrize("people", [{}, {"a": {}}, {"a": {}, "b": {"shard.py": b""}}], ids=len)
def test_a_class_without_work(exercise: Exercise, people: Mapping[str, Files]) -> None:
    compared = compare(people, exercise, LEAST)
    assert (compared.likeness.submissions, compared.likeness.pairs) == (len(people), ())
    assert len(compared.likeness.remarks) == len(people)


class Broken(dict[str, Submission]):
    """As read from archives, one of which is none."""

    def __getitem__(self, id: str) -> Submission:
        if id == "b":
            raise SubmissionError("b.zip is no archive")
        return super().__getitem__(id)


def test_who_cannot_be_compared_is_named(exercise: Exercise, original: Files) -> None:
    """And what of a submission was not read. The others are compared."""
    people = Broken({id: Submission(original, {}, ("gather.py is a link",) if id == "c" else ()) for id in "abc"})
    compared = compare_submissions(people, exercise, LEAST)
    assert shown(compared) == [("a", "c")]
    assert compared.likeness.submissions == 3
    assert compared.likeness.remarks == (
        Remark("b", "was not compared: b.zip is no archive"),
        Remark("c", "gather.py is a link"),
    )


def test_what_was_not_handed_in_is_no_remark(exercise: Exercise, original: Files) -> None:
    """What was, under another name, is one."""
    submission = take(exercise, ["shard.py", "gather (1).py"], original.__getitem__)
    assert len(submission.notes) == len(exercise.files) - 1
    compared = compare_submissions({"a": submission}, exercise, LEAST)
    assert compared.likeness.remarks == (Remark("a", "expected gather.py, found 'gather (1).py': rename it"),)


def test_passages_lead_to_each_other(exercise: Exercise, original: Files) -> None:
    """The pieces of a file are the whole of it; a passage is in its counterpart, or has it in it."""
    compared = compare({"a": original, "b": reordered(original)}, exercise, LEAST)
    found = compared.side_by_side(compared.likeness.pairs[0])
    for marked, files in ((found.left, original), (found.right, reordered(original))):
        assert {each.name: "".join(piece.text for piece in each.pieces).encode() for each in marked} == files
    left, right = (
        {piece.number: piece for each in side for piece in each.pieces if piece.number is not None}
        for side in (found.left, found.right)
    )
    assert list(left) == list(range(len(left)))
    assert len(left) > 3
    for piece in left.values():
        assert piece.counterpart is not None
        other = right[piece.counterpart].text
        assert piece.text in other or other in piece.text
    assert [piece.number for piece in left.values()] != [piece.counterpart for piece in left.values()]


def told_of_designs() -> str:
    """All that is found in the designs of lesson 10."""
    compared = compare(designs("lesson10"), COURSE.exercise("lesson10"), Fraction(1, 10))
    return f"{compared.likeness} {compared.side_by_side(compared.likeness.pairs[0])}"


def test_every_process_finds_the_same() -> None:
    """Python hashes text in another way in each process."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    other = subprocess.run(
        [sys.executable, "-c", "from tests.similar.test_compare import told_of_designs; print(told_of_designs())"],
        cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = told_of_designs()
    assert other.stdout == f"{found}\n"
    assert "Pair(left=" in found


@given(st.text(alphabet="ab \n\t\"'#\\(){}[],.:=f0é\x00\r\ud800", max_size=200))
def test_any_text_has_tokens_in_order(text: str) -> None:
    found = tokens(text)
    assert all(token.start < token.end for token in found)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert not found or found[-1].end <= len(text)


def test_blank_lines_without_end_take_no_time_without_end() -> None:
    """The lexer alone would need minutes."""
    text = "a = 1" + " \n" * (2 * LONGEST) + "b = 2"
    assert [text[token.start : token.end] for token in tokens(text)] == ["a", "=", "1", "b", "=", "2"]
