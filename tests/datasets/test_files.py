"""Publishers' files: alone, in folders, packed, in archives, damaged."""

import gzip
import io
import tarfile
import time
import zipfile

import pytest

from river_hier.datasets.files import Files, check_whole, lines

CONTENTS = {
    "b/two.txt": b"owl\r\nwhale\n",
    "a.txt": b"wolf\n",
    "b/ten.TXT.gz": b"fox\x0cfur\n\nend",
    "c/fox": gzip.compress(b"fox\n"),  # the first bytes tell what is packed, not the name
    "c/owl.gz": b"owl\n",
}
LINES = {
    "a.txt": [(1, "wolf")],
    "b/ten.TXT": [(1, "fox\x0cfur"), (2, ""), (3, "end")],
    "b/two.txt": [(1, "owl"), (2, "whale")],
    "c/fox": [(1, "fox")],
    "c/owl": [(1, "owl")],
}


def packed(name):
    return gzip.compress(CONTENTS[name]) if name.endswith("TXT.gz") else CONTENTS[name]


def write_folder(path):
    for name in CONTENTS:
        file = path / "folder" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(packed(name))
    return path / "folder"


def write_zip(path):
    with zipfile.ZipFile(path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("b")
        for name in CONTENTS:
            archive.writestr(name, packed(name))
    return path / "all.zip"


def write_tar(path, name="all.tar", mode="w"):
    with tarfile.open(path / name, mode) as archive:
        for member in CONTENTS:
            info = tarfile.TarInfo(f"./{member}")
            info.size = len(packed(member))
            archive.addfile(info, io.BytesIO(packed(member)))
    return path / name


def write_tar_gz(path):
    return write_tar(path, "all.tgz", "w:gz")


def write_tar_xz(path):
    return write_tar(path, "all.tar.xz", "w:xz")


ARCHIVES = [write_zip, write_tar, write_tar_gz, write_tar_xz]


@pytest.mark.parametrize("write", [write_folder, *ARCHIVES])
def test_the_same_files_wherever_they_lie(tmp_path, write):
    with Files(write(tmp_path)) as files:
        assert files.names == list(LINES)
        assert {name: list(lines(files, name)) for name in files.names} == LINES
        # In any order, and a file left in the middle.
        assert next(lines(files, "b/two.txt")) == (1, "owl")
        assert list(lines(files, "a.txt")) == LINES["a.txt"]
        assert files.matching("T*.txt") == ["b/ten.TXT", "b/two.txt"]
        assert files.matching("B/tw*") == ["b/two.txt"]
        assert files.matching("a/*") == []
        assert files.one("A.*") == "a.txt"
        with pytest.raises(ValueError, match=r"2 files like 't\*', expected one: b/ten.TXT, b/two"):
            files.one("t*")


@pytest.mark.parametrize("name", ["a.txt", "b/ten.TXT.gz"])
def test_a_file_alone(tmp_path, name):
    path = write_folder(tmp_path) / name
    with Files(path) as files:
        (only,) = files.names
        assert list(lines(files, only)) == LINES[name.removesuffix(".gz")]


def test_nothing_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^there is no file or folder '.*nowhere'"):
        Files(tmp_path / "nowhere").__enter__()


@pytest.mark.parametrize(
    ("write", "size"),
    [
        (write_zip, 200),
        (write_tar, 1_700),
        (write_tar, 3_072),
        (write_tar_gz, 150),
        (write_tar_xz, 150),
    ],
)
def test_archives_that_are_cut_off(tmp_path, write, size):
    path = write(tmp_path)
    path.write_bytes(path.read_bytes()[:size])

    def read():
        with Files(path) as files:
            for name in files.names:
                list(lines(files, name))

    with pytest.raises(ValueError, match=f"^{path.name} is (cut off|damaged)"):
        read()


@pytest.mark.slow
def test_many_members_take_time_in_proportion(tmp_path):
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(50_000):
            archive.writestr(f"{i}.txt", "x")
    start = time.process_time()
    check_whole(path, ".zip")
    assert time.process_time() - start < 30  # a list of all names for each would take minutes


def test_a_damaged_member(tmp_path):
    path = write_zip(tmp_path)
    whole = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("a.txt").header_offset + 30 + len("a.txt")
    whole[start] ^= 0xFF
    path.write_bytes(whole)
    with Files(path) as files:
        with pytest.raises(ValueError, match=r"^a.txt is damaged: Bad CRC"):
            list(lines(files, "a.txt"))
        with pytest.raises(ValueError, match=r"^a.txt is damaged: Bad"), files.open("a.txt") as raw:
            raw.read()


@pytest.mark.parametrize(
    ("local", "central", "value", "message"),
    [
        (0, 0, 0xFF, r"a.txt is damaged: Bad magic number"),
        (6, 8, 1, r"a.txt cannot be unpacked: File .* is encrypted"),
        (8, 10, 98, r"a.txt cannot be unpacked: That compression method is not supported"),
    ],
)
def test_members_that_cannot_be_unpacked(tmp_path, local, central, value, message):
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("first.txt", b"owl\n")
        archive.writestr("a.txt", b"wolf\n")
        start = archive.getinfo("a.txt").header_offset
    whole = bytearray(path.read_bytes())
    whole[start + local] = value
    if central:
        whole[whole.rfind(b"PK\1\2") + central] = value
    path.write_bytes(whole)
    with Files(path) as files:
        assert list(lines(files, "first.txt")) == [(1, "owl")]
        with pytest.raises(ValueError, match=f"^{message}"):
            list(lines(files, "a.txt"))


def test_names_that_other_systems_give(tmp_path):
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("parts\\a.txt", "parts/b.gz", "parts/b.b", "__MACOSX/parts/._a.txt"):
            archive.writestr(name, b"wolf\n")
    with Files(tmp_path / "all.zip") as files:
        assert files.names == ["parts/a.txt", "parts/b", "parts/b.b"]
        assert files.one("*.txt") == "parts/a.txt"


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_bytes(b"wolf\n")

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    for path in (tmp_path / "a.txt", tmp_path):
        with pytest.raises(PermissionError), Files(path) as files:
            list(lines(files, "a.txt"))


def test_a_mark_of_the_byte_order_is_no_text(tmp_path):
    (tmp_path / "a.txt").write_bytes("wolf\nowl\n".encode("utf-8-sig"))
    with Files(tmp_path) as files:
        assert list(lines(files, "a.txt")) == [(1, "wolf"), (2, "owl")]


def test_text_in_another_encoding(tmp_path):
    (tmp_path / "a.txt").write_bytes("wolf\nMäusebussard\n".encode("latin-1"))
    with Files(tmp_path) as files:
        assert list(lines(files, "a.txt", "latin-1"))[1] == (2, "Mäusebussard")
        with pytest.raises(ValueError, match=r"^a.txt is not text after line 0: 'utf-8' codec"):
            list(lines(files, "a.txt"))
