"""Archives from strangers: what is taken of them, and that none does harm or is refused without a reason."""

from __future__ import annotations

import io
import itertools
import stat
import struct
import tarfile
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.batch import archives, reading
from grader.runner import Submission, SubmissionError

from .packing import ALL, KINDS, NAMES, handed_in, pack, read

every_kind = pytest.mark.parametrize("kind", KINDS)
TARS = [kind for kind in KINDS if kind != "zip"]
every_tar = pytest.mark.parametrize("kind", TARS)


def refusal(path: Path) -> str:
    with pytest.raises(SubmissionError) as raised:
        read(path)
    return str(raised.value)


def outcome(path: Path) -> Submission | str:
    """What is taken, or the sentence that says why nothing is."""
    try:
        return read(path)
    except SubmissionError as error:
        return str(error)


def zip_entry(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def tar_entry(name: str, kind: bytes, leads: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = leads
    return info


@every_kind
@pytest.mark.parametrize(
    "top", ["", "./", "work/", "work\\", "wörk/", "exercises/pieces/", "repo-main/exercises/pieces/"]
)
def test_an_archive_is_read_whatever_it_is_called(tmp_path: Path, kind: str, top: str) -> None:
    members = [(f"{top}{name}", content) for name, content in [*ALL, ("notes.txt", b"n"), ("secret.py", b"s")]]
    others = ["__MACOSX/keep.py", ".git/keep.py", "exercises/pieces/.pristine/keep.py", "work/deep/keep.py"]
    content = pack(kind, [*members, *((name, b"other") for name in others)])
    for name in ("ann" + KINDS[kind], "ann.rar", "ann.py", "ann"):
        submission = read(handed_in(tmp_path, name, content))
        assert submission == Submission(dict(ALL), {"keep": "keep.py", "total": "total.py", "share": "share.py"})


@every_kind
def test_names_that_are_missing_or_near_are_told_as_for_a_folder(tmp_path: Path, kind: str) -> None:
    path = handed_in(tmp_path, "ann.zip", pack(kind, [("work/keep (1).py", b"k"), ("work/total.py", b"t")]))
    submission = read(path)
    assert submission.files == {"total.py": b"t"}
    assert submission.notes == (
        "expected keep.py, found 'keep (1).py': rename it",
        "expected share.py, which is not there",
    )


@every_kind
def test_the_last_of_one_name_counts(tmp_path: Path, kind: str) -> None:
    members = [("keep.py", b"first"), *ALL[1:], ("./keep.py", b"second"), ("keep.py", b"third")]
    submission = read(handed_in(tmp_path, "ann.zip", pack(kind, members)))
    assert submission.files["keep.py"] == b"third"
    assert submission.notes == ("keep.py is in the archive 3 times: the last counts",)


@every_kind
@pytest.mark.parametrize("path", ["/keep.py", "../keep.py", "work/../../keep.py", "..\\keep.py", "work/../keep.py"])
def test_what_leads_out_is_not_taken(tmp_path: Path, kind: str, path: str) -> None:
    submission = read(handed_in(tmp_path, "ann.zip", pack(kind, [(path, b"evil"), *ALL[1:]])))
    assert "keep.py" not in submission.files
    assert submission.notes == (
        "expected keep.py, which is not there",
        f"{path!r} leads out of the archive and is not taken",
    )
    assert [file.name for file in tmp_path.iterdir()] == ["ann.zip"]


@every_tar
@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (tar_entry("keep.py", tarfile.SYMTYPE, "/etc/passwd"), archives.LINK),
        (tar_entry("keep.py", tarfile.SYMTYPE, "total.py"), archives.LINK),
        (tar_entry("keep.py", tarfile.LNKTYPE, "total.py"), archives.LINK),
        (tar_entry("keep.py", tarfile.FIFOTYPE), archives.NO_FILE),
        (tar_entry("keep.py", tarfile.CHRTYPE), archives.NO_FILE),
        (tar_entry("keep.py", tarfile.BLKTYPE), archives.NO_FILE),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_links_and_devices_of_a_tar_are_not_followed(
    tmp_path: Path, kind: str, entry: tarfile.TarInfo, reason: str
) -> None:
    submission = read(handed_in(tmp_path, "ann.tar", pack(kind, [*ALL[1:], (entry, b"")])))
    assert submission.notes == (f"keep.py {reason}",)
    assert sorted(submission.files) == ["share.py", "total.py"]


@pytest.mark.parametrize(
    ("mode", "reason"),
    [(stat.S_IFLNK, archives.LINK), (stat.S_IFIFO, archives.NO_FILE), (stat.S_IFCHR, archives.NO_FILE)],
)
def test_links_and_devices_of_a_zip_are_not_followed(tmp_path: Path, mode: int, reason: str) -> None:
    content = pack("zip", [(zip_entry("keep.py", mode | 0o777), b"/etc/passwd"), *ALL[1:]])
    assert read(handed_in(tmp_path, "ann.zip", content)).notes == (f"keep.py {reason}",)


@every_kind
def test_a_large_file_is_told_and_not_kept(tmp_path: Path, kind: str) -> None:
    """10 MB of zeros are some kilobytes packed. What unpacks xz takes 8 MiB by itself."""
    path = handed_in(tmp_path, "ann.zip", pack(kind, [("keep.py", bytes(10_000_000)), *ALL[1:]]))
    tracemalloc.start()
    submission = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert submission.notes == ("keep.py is larger than 1 MiB",)
    assert peak < (14_000_000 if kind == "xz" else 5_000_000)


def test_a_bomb_ends_at_the_limit(tmp_path: Path) -> None:
    """A gigabyte of zeros in a megabyte, of which no more is unpacked than the limit, piece by piece."""
    header = tarfile.TarInfo("zeros")
    header.size = 2**30
    packer = zlib.compressobj(1, wbits=31)
    zeros = bytes(2**20)
    packed = packer.compress(header.tobuf()) + b"".join(packer.compress(zeros) for _ in range(80))
    path = handed_in(tmp_path, "bomb.tgz", packed)
    assert path.stat().st_size < 2**19
    tracemalloc.start()
    assert refusal(path) == "bomb.tgz unpacks to more than 64 MiB: pack only the files of the exercise"
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


@every_tar
def test_each_kind_of_bomb_ends_at_the_limit(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1_000_000)
    for entry in (tarfile.TarInfo("zeros"), tar_entry("long name", tarfile.GNUTYPE_LONGNAME), tar_entry("x", b"x")):
        path = handed_in(tmp_path, "bomb.tar", pack(kind, [(entry, bytes(1_100_000)), *ALL]))
        assert "unpacks to more than" in refusal(path)


@every_kind
def test_too_many_files_are_refused(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 50)
    folders = [tar_entry(f"{number}", tarfile.DIRTYPE) if kind in TARS else f"{number}/" for number in range(9)]
    most = [*ALL, *((f"data/{number}", b"") for number in range(38)), *((folder, b"") for folder in folders)]
    assert sorted(read(handed_in(tmp_path, "ann.zip", pack(kind, most))).files) == sorted(NAMES)
    path = handed_in(tmp_path, "bomb.zip", pack(kind, [*most, ("one more", b"")]))
    assert refusal(path) == "bomb.zip holds more than 20,000 files: pack only those of the exercise"


@every_kind
def test_a_path_without_end_is_in_no_sentence(tmp_path: Path, kind: str) -> None:
    most = [*ALL, ("a" * archives.LONGEST_PATH, b"")]
    assert sorted(read(handed_in(tmp_path, "ann.zip", pack(kind, most))).files) == sorted(NAMES)
    for name in ("a" * 1025, "../" * 400 + "keep.py"):
        path = handed_in(tmp_path, "bomb.zip", pack(kind, [*ALL, (name, b"")]))
        assert refusal(path) == f"bomb.zip {archives.TOO_LONG}"


@every_kind
def test_of_very_many_names_a_sentence_has_the_first(tmp_path: Path, kind: str) -> None:
    near = [(f"keep ({number}).py", b"") for number in range(100)]
    outside = [(f"../{number}/share.py", b"") for number in range(5)]
    submission = read(handed_in(tmp_path, "ann.zip", pack(kind, [*near, *outside, ("total.py", b"")])))
    assert submission.notes == (
        "expected keep.py, found 'keep (0).py' and 'keep (1).py' and 'keep (10).py' and 97 more: rename it",
        "expected share.py, which is not there",
        "'../0/share.py' and '../1/share.py' and '../2/share.py' and 2 more lead out of the archive and are not taken",
    )
    places = [(f"{number}/keep.py", b"") for number in range(100)]
    assert refusal(handed_in(tmp_path, "ann.zip", pack(kind, places))) == (
        "ann.zip holds files of the exercise in several places, '0' and '1' and '10' and 97 more: leave them in one"
    )


def test_a_directory_of_a_zip_is_not_even_read_if_it_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = handed_in(tmp_path, "bomb.zip", pack("zip", [(f"{number}", b"") for number in range(100)]))
    monkeypatch.setattr(archives, "LARGEST_DIRECTORY", 4_000)
    assert refusal(path) == "bomb.zip holds more than 20,000 files: pack only those of the exercise"


def test_a_zip_that_overlaps_itself_unpacks_no_more_than_what_is_wanted(tmp_path: Path) -> None:
    """Every entry leads to the same packed zeros."""
    packed = pack("zip", [("keep.py", bytes(2_000_000))])
    start, end = packed.index(b"PK\x01\x02"), packed.index(b"PK\x05\x06")
    directory = packed[start:end] + b"".join(
        packed[start:end].replace(b"keep.py", f"x{number:05}.".encode()) for number in range(1_000)
    )
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1_001, 1_001, len(directory), start, 0)
    path = handed_in(tmp_path, "bomb.zip", packed[:start] + directory + tail)
    assert read(path).notes[0] == "keep.py is larger than 1 MiB"


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    packed = bytearray(pack("zip", ALL))
    for at in (match for match in range(len(packed)) if packed[match : match + 4] in (b"PK\x03\x04", b"PK\x01\x02")):
        packed[at + (6 if packed[at + 2] == 3 else 8)] |= 1
    assert refusal(handed_in(tmp_path, "ann.zip", bytes(packed))) == "ann.zip is encrypted: pack it without a password"


def test_a_zip_of_an_odd_method_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_LZMA) as opened:
        opened.writestr("keep.py", b"k")
    assert "as an ordinary zip" in refusal(handed_in(tmp_path, "ann.zip", packed.getvalue()))


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"Rar!\x1a\x07\x01\x00", "is a RAR archive, which is not read here: pack it as zip or tar"),
        (b"7z\xbc\xaf\x27\x1c", "is a 7z archive, which is not read here: pack it as zip or tar"),
        (b"PK\x03\x04 but no more", "is damaged or cut off: pack it and hand it in again"),
        (zlib.compress(b"no tar", wbits=31), "is damaged or cut off: pack it and hand it in again"),
        (b"", "is empty: hand in the files of the exercise"),
        (b"%PDF-1.4", "is neither a folder nor a Python file nor a zip or tar archive: hand in one of these"),
        (pack("zip", []), "is empty: hand in the files of the exercise"),
        (pack("gz", []), "is empty: hand in the files of the exercise"),
        (pack("zip", [("work/", b"")]), "is empty: hand in the files of the exercise"),
    ],
    # Packing writes the time, and a name of a test must be the same in each process.
    ids=["rar", "7z", "cut", "gz", "nothing", "pdf", "empty-zip", "empty-gz", "folder-zip"],
)
def test_what_is_no_archive_that_is_read_is_refused(tmp_path: Path, head: bytes, reason: str) -> None:
    assert refusal(handed_in(tmp_path, "ann.zip", head)) == f"ann.zip {reason}"


def test_a_zip_with_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        opened.writestr("keep.py", b"return 1")
    damaged = packed.getvalue().replace(b"return 1", b"return 2")
    assert "is damaged or cut off" in refusal(handed_in(tmp_path, "ann.zip", damaged))


@pytest.mark.parametrize("size", [-512, -1024, -(2**40)])
def test_a_tar_that_leads_back_does_not_run_for_ever(tmp_path: Path, size: int) -> None:
    header = tarfile.TarInfo("back")
    header.size = size
    raw = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw)
    path = handed_in(tmp_path, "ann.tar", bytes(raw) + pack("", ALL))
    found = outcome(path)
    assert found.startswith("ann.tar is") if isinstance(found, str) else set(found.files) <= set(NAMES)


@every_kind
@pytest.mark.parametrize("inner", ["work.zip", "deep/work.tar.gz"])
def test_an_archive_in_an_archive_is_read_once(tmp_path: Path, kind: str, inner: str) -> None:
    once = pack(kind, [("readme.txt", b""), (inner, pack("zip" if "zip" in inner else "gz", ALL))])
    assert read(handed_in(tmp_path, "once.zip", once)).files == dict(ALL)
    twice = pack(kind, [("work.zip", once)])
    assert refusal(handed_in(tmp_path, "twice.zip", twice)) == (
        f"twice.zip holds an archive in an archive in an archive, {inner!r}: pack the files themselves"
    )


@pytest.mark.parametrize("kind", ["zip", ""])
def test_a_large_archive_in_an_archive_is_read_beside_what_a_system_left(tmp_path: Path, kind: str) -> None:
    inner = pack("", [*ALL, ("picture.png", bytes(5_000_000))])
    members = [("__MACOSX/._work.tar", b"m"), ("work.tar", inner), ("._work.tar", b"m")]
    assert read(handed_in(tmp_path, "ann.zip", pack(kind, members))).files == dict(ALL)


@every_kind
def test_several_archives_in_one_are_not_guessed_at(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST_INNER", 2**20)
    inner = pack("zip", ALL)
    path = handed_in(tmp_path, "ann.zip", pack(kind, [("b.zip", inner), ("a.tar", inner)]))
    assert refusal(path) == (
        "ann.zip holds 2 archives, 'a.tar' and 'b.zip', and no file of the exercise: pack one archive"
    )
    path = handed_in(tmp_path, "ann.zip", pack(kind, [("b.zip", inner), *ALL[:1]]))
    assert read(path).files == dict(ALL[:1])
    assert "holds 'b.zip', which is larger than 1 MiB" in refusal(
        handed_in(tmp_path, "ann.zip", pack(kind, [("b.zip", bytes(2**20 + 1))]))
    )
    assert "holds 'b.zip', which is no archive" in refusal(
        handed_in(tmp_path, "ann.zip", pack(kind, [("b.zip", b"text")]))
    )


@every_kind
def test_a_name_in_another_encoding_does_not_matter(tmp_path: Path, kind: str) -> None:
    content = pack(kind, [(f"ABCDEF/{name}", content) for name, content in ALL])
    if kind in ("zip", ""):
        content = content.replace(b"ABCDEF", b"\xdcb\xfcng\xe9")
    if kind == "":
        blocks = bytearray(content)
        for at in range(0, len(blocks), 512):
            if blocks[at + 257 : at + 262] == b"ustar":
                blocks[at + 148 : at + 156] = b" " * 8
                blocks[at + 148 : at + 156] = b"%06o\0 " % sum(blocks[at : at + 512])
        content = bytes(blocks)
    assert read(handed_in(tmp_path, "ann.zip", content)).files == dict(ALL)


PATHS = [*NAMES, "keep (1).py", "a/keep.py", "../keep.py", "/keep.py", "b\\keep.py", "x.zip", "__MACOSX/keep.py"]
PARTS = ["a", "b", "..", ".", "", "keep.py", "exercises", "pieces", "x.tar"]
names = st.one_of(
    st.sampled_from(PATHS),
    st.lists(st.sampled_from(PARTS), min_size=1).map("/".join).filter(bool),  # zipfile writes no empty name
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=10),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(members=st.lists(st.tuples(names, st.binary(max_size=5)), max_size=6), kind=st.sampled_from([*KINDS]))
def test_any_names_give_a_submission_or_a_sentence(tmp_path: Path, members: list[tuple[str, bytes]], kind: str) -> None:
    path = handed_in(tmp_path, "any", pack(kind, members))
    found = outcome(path)
    if isinstance(found, str):
        assert found.startswith("any ")
        assert found.isprintable()
    else:
        assert set(found.files) <= set(NAMES)
        assert set(found.files.values()) <= {content for _, content in members}
        assert "".join(found.notes).isprintable()


@pytest.mark.parametrize("kind", ["zip", "", "gz"])
def test_the_order_of_entries_does_not_matter(tmp_path: Path, kind: str) -> None:
    members = [("a/keep.py", b"k"), ("a/total.py", b"t"), ("b/keep.py", b"x"), ("a/share.py", b"s"), ("c.zip", b"")]
    read_so = {repr(read(handed_in(tmp_path, "any", pack(kind, order)))) for order in itertools.permutations(members)}
    assert len(read_so) == 1


@every_kind
def test_a_cut_or_damaged_archive_gives_a_submission_or_a_sentence(tmp_path: Path, kind: str) -> None:
    """Whatever is lost is said: no file is taken in part."""
    whole = pack(kind, ALL)
    step = max(1, len(whole) // 60)
    cut = [whole[:length] for length in range(1, len(whole), step)]
    damaged = [whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :] for at in range(0, len(whole), step)]
    for content in cut + damaged:
        found = outcome(handed_in(tmp_path, "any.zip", content))
        if isinstance(found, str):
            assert found.startswith("any.zip ")
        else:
            assert len(found.files) + len(found.notes) >= len(NAMES)
            assert kind != "zip" or found.files.items() <= dict(ALL).items()
