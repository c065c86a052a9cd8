"""Whatever lies in a file: every reader gives examples, or says what is wrong, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import datasets
from support import packing
from support.corpora import FORMATS, MANY, corpus, read
from support.hypothesis_settings import n_examples


def test_every_reader_is_tried() -> None:
    missing = set(datasets.__all__) - {"base", "synth"} - set(FORMATS)
    assert not missing, f"tests/support/corpora.py: add a small corpus to FORMATS: {missing}"


@pytest.mark.slow(but=3)
@pytest.mark.parametrize("name", FORMATS)
def test_any_bytes_in_any_file(name: str) -> None:
    with corpus(name) as path:
        assert read(name, path, "raise") > 0
        wholes = {file: file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}

        @n_examples(40)
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


@pytest.mark.slow(but=3)
@pytest.mark.parametrize("packed", [packing.gzipped, packing.zipped, packing.tarred])
@pytest.mark.parametrize("name", ["RCV1", "WIPOAlpha"])
def test_any_bytes_in_any_archive(name: str, packed: Callable[[Path], Path]) -> None:
    with corpus(name) as path:
        archive = packed(path)
        file = archive if archive.is_file() else min(archive.rglob("*.gz"))
        whole = file.read_bytes()

        @n_examples(40)
        @given(packing.mutations(whole), st.sampled_from(["raise", "skip"]))
        def try_it(data: bytes, on_error: str) -> None:
            file.write_bytes(data)
            assert read(name, archive, on_error) < MANY

        try_it()
