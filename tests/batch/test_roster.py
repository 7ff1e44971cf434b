"""A roster is read strictly: what is wrong is said with its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.batch import RosterError, read_roster
from grader.gradebook import Person

ANN = Person("ann", {"name": "Lee, Ann", "section": "2"})
BOB = Person("0012", {"name": "Bob", "section": ""})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "roster.csv"


@pytest.mark.parametrize(
    "content",
    [
        b'id,name,section\nann,"Lee, Ann",2\n0012,Bob,\n',
        b"\xef\xbb\xbfid;name;section\r\nann;Lee, Ann;2\r\n0012;Bob;\r\n",
        b'ID , Name,section\r ann ,"Lee, Ann", 2 \r,,\r\r0012,Bob,',
        b'name,section,id\n"Lee, Ann",2,ann\nBob,,0012\n\n',
    ],
)
def test_what_programs_write_is_read(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    assert read_roster(file) == (ANN, BOB)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": is empty: expected a first line with the names of columns, `id` among them"),
        (b"\n,\n", ": is empty: expected a first line with the names of columns, `id` among them"),
        (b"name,mail\nann,a\n", ":1:1: expected a column `id`, found `name`, `mail`"),
        (b"id\tname\nann\ta\n", ":1:1: expected a column `id`, found `id\tname`"),
        (b"id,name,id\n", ":1:9: the column `id` is given twice"),
        (b"id,Email,email\n", ":1:10: the column `email` is given twice"),
        (b"id,,name\n", ":1:4: column 2 has no name: name it, or take it out"),
        (b"id,name\n", ": names nobody: expected a line for each person"),
        (b"name,id\nAnn,a\nBob,a\n", ":3:5: the id 'a' is given twice, first in line 2"),
        (b"name,id\nAnn,a\nBob, \n", ":3:5: the `id` is missing"),
        (b'name;id\n"A\n;""nn";a\nBob;\n', ":4:5: the `id` is missing"),
        (b'name,id\n"A\n,""nn",\n', ":3:8: the `id` is missing"),
        (b"id,name\nann\n", ":2:1: expected 2 cells, as in the first line, found 1"),
        (b"id,name\nann,a,b\n", ":2:1: expected 2 cells, as in the first line, found 3"),
        (b'id,name\nann,"a\nb\n', ":2: is no CSV here: unexpected end of data"),
        (b'id,name\nann,"a"b\n', ":2: is no CSV here: ',' expected after '\"'"),
        (b"id,name\na\x1bb,Ann\n", ":2:1: the id 'a\\x1bb' has a character that cannot be printed"),
        (b"id,name\nann,Ann\nbob,Bj\xf6rn\n", ":3:7: the byte 0xf6 is no UTF-8: save it as CSV in UTF-8"),
        ("id,name\nann,Ann\n".encode("utf-16"), ": is UTF-16 or no text: save it as CSV in UTF-8"),
        ("id,name\nann,Ann\n".encode("utf-16-le"), ": is UTF-16 or no text: save it as CSV in UTF-8"),
    ],
)
def test_what_is_not_certain_is_an_error_with_its_place(file: Path, content: bytes, message: str) -> None:
    file.write_bytes(content)
    with pytest.raises(RosterError) as raised:
        read_roster(file)
    assert str(raised.value) == f"{file}{message}"


def test_what_is_no_file_is_an_error(file: Path, tmp_path: Path) -> None:
    with pytest.raises(RosterError, match="cannot be read: No such file"):
        read_roster(file)
    with pytest.raises(RosterError, match="cannot be read: Is a directory"):
        read_roster(tmp_path)
    os.mkfifo(file)
    with pytest.raises(RosterError, match="cannot be read: it is a pipe"):
        read_roster(file)


@given(st.one_of(st.binary(max_size=60), st.text('id,;"\n\r a\u2028é', max_size=40).map(str.encode)))
def test_anything_is_a_roster_or_an_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.csv"
    file.write_bytes(b"id,name\n" + content)
    try:
        people = read_roster(file)
    except RosterError:
        return
    assert len({person.id for person in people}) == len(people) > 0
