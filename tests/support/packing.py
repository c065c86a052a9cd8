"""The same folder in every way in which it may lie on a disk, and all kinds of damage."""

import gzip
import tarfile
import zipfile

from hypothesis import strategies as st


def folder(path):
    return path


def gzipped(path):
    """A copy of the folder with each file packed."""
    copy = path.with_name(f"{path.name}-gzipped")
    for file in (file for file in path.rglob("*") if file.is_file()):
        packed = copy / file.relative_to(path).with_name(f"{file.name}.gz")
        packed.parent.mkdir(parents=True, exist_ok=True)
        packed.write_bytes(gzip.compress(file.read_bytes()))
    return copy


def zipped(path):
    archive = path.with_name(f"{path.name}.zip")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in path.rglob("*"):
            packed.write(file, file.relative_to(path))
    return archive


def tarred(path):
    archive = path.with_name(f"{path.name}.tar.gz")
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(path, "./")
    return archive


EVERYWHERE = [folder, gzipped, zipped, tarred]


@st.composite
def mutations(draw, data):
    """Some bytes changed, put in or left out, and perhaps the end cut off."""
    mutated = bytearray(data)
    pieces = st.one_of(
        st.binary(max_size=3), st.sampled_from([b"<", b">", b"&", b'"', b"\n", b"\0", b"&#2;"])
    )
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(mutated)))
        mutated[at : at + draw(st.integers(0, 8))] = draw(pieces)
    return bytes(mutated[: draw(st.integers(0, len(mutated)))] if draw(st.booleans()) else mutated)
