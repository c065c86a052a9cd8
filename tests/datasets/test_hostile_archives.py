"""Archives that are made to do harm: nothing is written, and nothing else is read."""

import gzip
import io
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest

from river_hier.datasets.files import Files, lines

NAMES = ["../../escaped.txt", "/tmp/absolute.txt", "C:\\windows.txt", "fine.txt"]


@pytest.fixture
def place(tmp_path):
    """A folder in a folder, so that what escapes can be seen."""
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret\n")
    return inside


def everything_in(path):
    return {str(file.relative_to(path)) for file in path.rglob("*")}


def read(path):
    with Files(path) as files:
        return {name: [text for _, text in lines(files, name)] for name in files.names}


def tar(path, *members, mode="w"):
    with tarfile.open(path, mode) as archive:
        for member in members:
            member.size = 5 if member.isreg() else 0
            archive.addfile(member, io.BytesIO(b"wolf\n"))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_names_that_lead_elsewhere_are_only_names(place, kind):
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
def test_links_and_devices_are_passed_over(place, kind):
    odd = tarfile.TarInfo("odd.txt")
    odd.type, odd.linkname = kind, "../../secret.txt"
    assert read(tar(place / "all.tar", tarfile.TarInfo("fine.txt"), odd)) == {"fine.txt": ["wolf"]}


def test_a_symlink_in_a_zip_is_the_text_that_it_is(place):
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(place / "all.zip", "w") as archive:
        archive.writestr(link, "../../secret.txt")
    assert read(place / "all.zip") == {"link.txt": ["../../secret.txt"]}


def test_of_the_same_names_the_last_counts(place):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zipfile's, about just this
        with zipfile.ZipFile(place / "all.zip", "w") as archive:
            for text in ("wolf\n", "owl\n"):
                archive.writestr("same.txt", text)
    assert read(place / "all.zip") == {"same.txt": ["owl"]}


def test_gzipped_text_may_look_like_a_tar_file_by_chance(place):
    """Its header holds the time, and a tar file's is recognised by a sum over all bytes."""
    path = place / "text.txt.gz"
    for seconds in range(0, 2**32, 2**22 + 2**13 + 1):
        path.write_bytes(gzip.compress(b"a" * 2**20, mtime=seconds))
        if tarfile.is_tarfile(path):
            break
    assert tarfile.is_tarfile(path)
    assert [len(text) for (text,) in read(path).values()] == [2**20]


def test_a_zip_that_lies_about_its_size_gives_no_more_than_it_says(place):
    path = place / "large.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large.txt", b"a" * 2**20)
    whole = bytearray(path.read_bytes())
    for record, at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):  # where the size unpacked stands
        start = whole.index(record) + at
        whole[start : start + 4] = (100).to_bytes(4, "little")
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r"^large.txt is damaged"):
        read(path)
