"""Whatever lies in a file: every reader gives examples, or says what is wrong, and nothing else."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hmc_corpus
import odp_dump
import ohsumed_corpus
import packing
import pytest
import rcv1_corpus
import reuters_corpus
import timit_corpus
import wipo_corpus
from hypothesis import given, settings
from hypothesis import strategies as st

from river_hier import datasets

MANY = 1_000  # examples; the corpora hold a handful


def lshtc(folder: Path) -> None:
    (folder / "hierarchy.txt").write_text("1 3\n1 4\n2 5\n4 5\n3 6\n")
    (folder / "train.txt").write_text("4, 5 8:1 18:2\n5 7:1.5\n4,3 8:2 9:1\n")


def dmoz(folder: Path) -> None:
    content, paths = odp_dump.content(odp_dump.PAGES), [page[3] for page in odp_dump.PAGES]
    (folder / "content.rdf.u8").write_text("\n".join([*content, ""]))
    (folder / "structure.rdf.u8").write_text("\n".join([*odp_dump.structure(paths), ""]))


def timit(folder: Path) -> None:
    timit_corpus.write(folder, timit_corpus.LICENSED[:1], timit_corpus.sphere)


def ohsumed(folder: Path) -> None:
    for name, lines in ohsumed_corpus.FILES.items():
        (folder / name).write_bytes(ohsumed_corpus.data(lines))


# Every dataset that reads files: what writes its corpus, and what else it needs to be told.
FORMATS: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "DMOZ": (dmoz, {}),
    "HMC": (hmc_corpus.write_parts, {}),
    "LSHTC": (lshtc, {}),
    "OHSUMED": (ohsumed, {"root": "C08"}),
    "RCV1": (rcv1_corpus.write_corpus, {}),
    "Reuters21578": (reuters_corpus.write_corpus, {}),
    "TIMIT": (timit, {}),
    "TIMITSegments": (timit, {}),
    "WIPOAlpha": (wipo_corpus.write_corpus, {}),
}


def test_every_reader_is_tried() -> None:
    assert set(FORMATS) == set(datasets.__all__) - {"base", "synth"}


@contextlib.contextmanager
def corpus(name: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus")
        path.mkdir()
        FORMATS[name][0](path)
        yield path


def read(name: str, path: Path, on_error: str) -> int:
    """How many examples there are, unless it is said what is wrong."""
    try:
        stream = getattr(datasets, name)(path, on_error=on_error, **FORMATS[name][1])
        assert len(stream.taxonomy) > 0
        return sum(1 for _ in itertools.islice(stream, MANY))
    except UnicodeError:  # which names no file
        raise
    except (ValueError, OSError):
        return 0


@pytest.mark.parametrize("name", FORMATS)
def test_any_bytes_in_any_file(name: str) -> None:
    with corpus(name) as path:
        assert read(name, path, "raise") > 0
        wholes = {file: file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}

        @settings(max_examples=40)
        @given(st.sampled_from(list(wholes)).flatmap(damaged), st.sampled_from(["raise", "skip"]))
        def try_it(broken: tuple[Path, bytes], on_error: str) -> None:
            file, data = broken
            file.write_bytes(data)
            try:
                assert read(name, path, on_error) < MANY
            finally:
                file.write_bytes(wholes[file])

        try_it()


def damaged(file: Path) -> st.SearchStrategy[tuple[Path, bytes]]:
    return packing.mutations(file.read_bytes()).map(lambda data: (file, data))


@pytest.mark.parametrize("packed", [packing.gzipped, packing.zipped, packing.tarred])
@pytest.mark.parametrize("name", ["RCV1", "WIPOAlpha"])
def test_any_bytes_in_any_archive(name: str, packed: Callable[[Path], Path]) -> None:
    with corpus(name) as path:
        archive = packed(path)
        file = archive if archive.is_file() else min(archive.rglob("*.gz"))
        whole = file.read_bytes()

        @settings(max_examples=40)
        @given(packing.mutations(whole), st.sampled_from(["raise", "skip"]))
        def try_it(data: bytes, on_error: str) -> None:
            file.write_bytes(data)
            assert read(name, archive, on_error) < MANY

        try_it()
