"""Archives that are made to do harm: nothing is written, nothing else is read, nothing explodes."""

from __future__ import annotations

import gzip
import io
import tarfile
import time
import warnings
import zipfile
from pathlib import Path

import pytest

from river_hier.datasets import files as unpacking
from river_hier.datasets.files import Files, lines

NAMES = ["../../escaped.txt", "/tmp/absolute.txt", "C:\\windows.txt", "fine.txt"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder in a folder, so that what escapes can be seen."""
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret\n")
    return inside


def everything_in(path: Path) -> set[str]:
    return {str(file.relative_to(path)) for file in path.rglob("*")}


def read(path: Path) -> dict[str, list[str]]:
    with Files(path) as files:
        return {name: [text for _, text in lines(files, name)] for name in files.names}


def tar(path: Path, *members: tarfile.TarInfo, mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for member in members:
            member.size = 5 if member.isreg() else 0
            archive.addfile(member, io.BytesIO(b"wolf\n"))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_names_that_lead_elsewhere_are_only_names(place: Path, kind: str) -> None:
    path = place / f"all.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name in NAMES:
                archive.writestr(zipfile.ZipInfo(name), "wolf\n")
    else:
        tar(path, *map(tarfile.TarInfo, NAMES), mode="w:gz" if kind == "tar.gz" else "w")
    root = place.parents[1]
    before = everything_in(root)
    found = read(path)
    assert sorted(found)[:2] == ["../../escaped.txt", "/tmp/absolute.txt"]
    assert list(found.values()) == [["wolf"]] * 4
    assert everything_in(root) == before
    assert not Path("/tmp/absolute.txt").exists()


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
    ids=["symlink", "hard link", "character device", "block device", "pipe"],
)
def test_links_and_devices_are_passed_over(place: Path, kind: bytes) -> None:
    odd = tarfile.TarInfo("odd.txt")
    odd.type, odd.linkname = kind, "../../secret.txt"
    assert read(tar(place / "all.tar", tarfile.TarInfo("fine.txt"), odd)) == {"fine.txt": ["wolf"]}


def test_a_symlink_in_a_zip_is_the_text_that_it_is(place: Path) -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(place / "all.zip", "w") as archive:
        archive.writestr(link, "../../secret.txt")
    assert read(place / "all.zip") == {"link.txt": ["../../secret.txt"]}


def test_of_the_same_names_the_last_counts(place: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile's, about just this
        with zipfile.ZipFile(place / "all.zip", "w") as archive:
            for text in ("wolf\n", "owl\n"):
                archive.writestr("same.txt", text)
    assert read(place / "all.zip") == {"same.txt": ["owl"]}


def bombs(place: Path) -> list[Path]:
    """Files of a kilobyte or two that become a megabyte."""
    large = b"a" * 2**20
    gz, zipped = place / "bomb.txt.gz", place / "bomb.zip"
    gz.write_bytes(gzip.compress(large))
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.txt", large)
    with zipfile.ZipFile(place / "inside.zip", "w") as archive:
        archive.writestr("bomb.txt.gz", gzip.compress(large))
    with tarfile.open(place / "bomb.tar.gz", "w:gz") as archived:
        info = tarfile.TarInfo("bomb.txt")
        info.size = len(large)
        archived.addfile(info, io.BytesIO(large))
    with tarfile.open(place / "inside.tar", "w") as archived:
        archived.add(gz, "bomb.txt.gz")
    return [gz, zipped, place / "inside.zip", place / "bomb.tar.gz", place / "inside.tar"]


def test_gzipped_text_may_look_like_a_tar_file_by_chance(place: Path) -> None:
    """Its header holds the time, and a tar file's is recognised by a sum over all bytes."""
    path = place / "text.txt.gz"
    for seconds in range(0, 2**32, 2**22 + 2**13 + 1):
        path.write_bytes(gzip.compress(b"a" * 2**20, mtime=seconds))
        if tarfile.is_tarfile(path):
            break
    assert tarfile.is_tarfile(path)
    assert [len(text) for (text,) in read(path).values()] == [2**20]


def test_bombs_do_not_go_off(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in bombs(place):
        ((text,),) = read(path).values()
        assert len(text) == 2**20, "that much is allowed"
    monkeypatch.setattr(unpacking, "ROOM", 2**17)
    for path in bombs(place):
        with pytest.raises(ValueError, match=r"^(bomb|inside).* unpacks to more than .* bytes, of"):
            read(path)


def test_a_zip_that_lies_about_its_size_gives_no_more_than_it_says(place: Path) -> None:
    path = bombs(place)[1]
    whole = bytearray(path.read_bytes())
    for record, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):  # where the size unpacked stands
        start = whole.index(record) + at
        whole[start : start + 4] = (100).to_bytes(4, "little")
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r"^bomb.txt is damaged"):
        read(path)


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("kind", ["gz", "zip"])
def test_endless_empty_lines_take_little_time(tmp_path: Path, kind: str) -> None:
    path, content = tmp_path / f"text.{kind}", b"wolf\n" + b"\n" * (300 * 2**20)
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("text.txt", content)
    else:
        path.write_bytes(gzip.compress(content, compresslevel=1))
    del content
    start = time.process_time()
    with pytest.raises(ValueError, match=r"text(\.txt)? (unpacks to more than|has more than)"):
        read(path)
    assert time.process_time() - start < 5.0


def test_some_empty_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("wolf\n" + "\n" * 100_000 + "owl\n")
    assert read(path)["text.txt"] == ["wolf", *[""] * 100_000, "owl"]
    path.write_text("wolf\n" + "\n \r\n" * 1_000_000 + "owl\n")
    with pytest.raises(ValueError, match=r"text.txt has more than 1,000,000 empty lines in a row"):
        read(path)
