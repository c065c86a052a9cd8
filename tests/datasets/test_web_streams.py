"""What LSHTC and DMOZ promise alike: lazy, repeatable, files closed, examples or a ValueError."""

from __future__ import annotations

import collections
import contextlib
import copy
import gzip
import io
import itertools
import os
import pickle
import random
import tarfile
import tracemalloc
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets as river_datasets

from river_hier import datasets
from support import odp_dump
from support.hypothesis_settings import n_examples

LSHTC = {
    "train.csv": ["Data", "4, 5 8:1 18:2", "5 7:1.5", "4,3 8:2 9:1"],
    "hierarchy.txt": ["1 3", "1 4", "2 5", "4 5", "3 6"],
}
DMOZ = {
    "content.rdf.u8": list(odp_dump.content(odp_dump.PAGES)),
    "structure.rdf.u8": list(odp_dump.structure(["Top", *(page[3] for page in odp_dump.PAGES)])),
}
STREAMS = [(datasets.LSHTC, LSHTC), (datasets.DMOZ, DMOZ)]
each_stream = pytest.mark.parametrize(("cls", "corpus"), STREAMS, ids=["LSHTC", "DMOZ"])


def data(lines):
    return "".join(f"{line}\n" for line in lines).encode()


def write(folder, corpus):
    folder.mkdir(exist_ok=True)
    for name, lines in corpus.items():
        (folder / name).write_bytes(data(lines))
    return folder


def write_packed(folder, corpus):
    folder.mkdir()
    for name, lines in corpus.items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(data(lines)))
    return folder


def write_zip(path, corpus):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in corpus.items():
            archive.writestr(f"deep/{name}", data(lines))
    return path


def write_tar(path, corpus, mode="w"):
    with tarfile.open(path, mode) as archive:
        for name, lines in corpus.items():
            info = tarfile.TarInfo(name)
            info.size = len(data(lines))
            archive.addfile(info, io.BytesIO(data(lines)))
    return path


def write_tar_gz(path, corpus):
    return write_tar(path, corpus, "w:gz")


@each_stream
@pytest.mark.parametrize("pack", [write_packed, write_zip, write_tar, write_tar_gz])
def test_the_same_stream_wherever_the_files_lie(tmp_path, cls, corpus, pack):
    plain = cls(write(tmp_path / "plain", corpus))
    packed = cls(pack(tmp_path / "packed", corpus))
    examples = list(plain)
    assert len(examples) == 3 if cls is datasets.LSHTC else 7
    assert list(packed) == examples
    assert packed.taxonomy == plain.taxonomy


@each_stream
def test_one_stream_again_and_again(tmp_path, cls, corpus):
    stream = cls(write(tmp_path, corpus))
    examples = list(stream)
    assert list(stream) == examples
    assert list(pickle.loads(pickle.dumps(stream))) == examples
    assert list(copy.deepcopy(stream)) == examples
    assert list(stream.take(2)) == examples[:2]
    assert list(itertools.chain(*zip(stream, stream, strict=True)))[::2] == examples
    assert stream.take(2).taxonomy is stream.taxonomy


@each_stream
def test_what_is_changed_does_not_come_back(tmp_path, cls, corpus):
    stream = cls(write(tmp_path, corpus))
    examples = copy.deepcopy(list(stream))
    for x, y in stream:
        x.clear()
        if isinstance(y, dict):
            y.update(dict.fromkeys(y, True))
    assert list(stream) == examples


@each_stream
def test_description(tmp_path, cls, corpus):
    stream = cls(write(tmp_path, corpus))
    assert isinstance(stream, river_datasets.base.Dataset)
    assert str(tmp_path) in repr(stream)
    assert "Parameters\n----------" in repr(stream)


@each_stream
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted on Linux")
@pytest.mark.parametrize("pack", [write, write_zip, write_tar_gz])
def test_files_are_closed(tmp_path, cls, corpus, pack):
    stream = cls(pack(tmp_path / "files", corpus))
    _ = stream.taxonomy
    before = len(os.listdir("/proc/self/fd"))
    abandoned = iter(stream)
    next(abandoned)
    assert len(os.listdir("/proc/self/fd")) > before
    del abandoned
    assert len(os.listdir("/proc/self/fd")) == before
    list(stream)
    assert len(os.listdir("/proc/self/fd")) == before


@each_stream
def test_memory_does_not_grow(tmp_path, cls, corpus):
    def peak(n):
        if cls is datasets.LSHTC:
            terms = " ".join(f"{i}:0.5" for i in range(1_000, 1_050))
            write(tmp_path, corpus | {"train.csv": (f"4, 5 {terms}" for _ in range(n))})
        else:
            pages = ((f"http://{i}.example", "title", "body " * 100, "Top/A") for i in range(n))
            write(tmp_path, {"content.rdf.u8": odp_dump.content(pages)})
        collections.deque(cls(tmp_path).take(5), maxlen=0)
        tracemalloc.start()
        collections.deque(cls(tmp_path), maxlen=0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    # Python keeps some thousands of small tuples to be used again; the files have megabytes.
    assert peak(2_000) < peak(200) + 250_000


@each_stream
def test_without_files(tmp_path, monkeypatch, cls, corpus):
    monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
    with pytest.raises(FileNotFoundError, match=rf"home/{cls.__name__}'; .*(put|get)"):
        next(iter(cls()))
    for missing in corpus:
        here = write(tmp_path / missing, {n: c for n, c in corpus.items() if n != missing})
        if (cls, missing) != (datasets.DMOZ, "structure.rdf.u8"):
            with pytest.raises(FileNotFoundError, match=f"lacks {missing[:4]}|lacks cat_hier.txt"):
                list(cls(here))


# --- Damage --------------------------------------------------------------------------------------


@each_stream
def test_files_that_are_cut_off(tmp_path, cls, corpus):
    name = next(iter(corpus))
    lines = corpus[name][:-1] + [corpus[name][-2]] * 20 + corpus[name][-1:]
    whole = gzip.compress(data(lines))
    write(tmp_path, {n: c for n, c in corpus.items() if n != name})
    for on_error in ("raise", "skip"):
        (tmp_path / f"{name}.gz").write_bytes(whole[:-20])
        with pytest.raises(ValueError, match=rf"^{name} is cut off after line \d+; delete it"):
            list(cls(tmp_path, on_error=on_error))
        (tmp_path / f"{name}.gz").write_bytes(whole[:-8] + b"\0" * 8)
        with pytest.raises(ValueError, match=rf"^{name} is damaged after line \d+: CRC check"):
            list(cls(tmp_path, on_error=on_error))


@each_stream
@pytest.mark.parametrize("what", ["", "<!DOCTYPE html>\n<html>", "\0\0"])
def test_foreign_files(tmp_path, cls, corpus, what):
    name = next(iter(corpus))
    write(tmp_path, corpus)
    (tmp_path / name).write_text(what)
    with pytest.raises(ValueError, match=f"^{name} is (empty|a web page|a binary file), expected"):
        list(cls(tmp_path))


@each_stream
@n_examples(100, deadline=2_000)
@given(seed=st.integers(0, 2**32), on_error=st.sampled_from(["raise", "skip"]))
def test_changed_bytes(tmp_path_factory, cls, corpus, seed, on_error):
    """They give examples or a ValueError, nothing else, and in time."""
    rng = random.Random(seed)
    folder = write(tmp_path_factory.getbasetemp() / f"fuzz-{cls.__name__}", corpus)
    path = folder / rng.choice(list(corpus))
    content = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(content) + 1)
        end = start + rng.choice([0, 1, 1, 2, 30])
        some = rng.randrange(len(content) + 1)
        content[start:end] = rng.choice(
            [b"", b"\xff", b"&", b"<", b"\n", b" ", b":", b"9", b"\0", content[some : some + 40]]
        )
    path.write_bytes(content)
    sizes = {"min_size": rng.randint(0, 2)} if cls is datasets.DMOZ else {}
    stream = cls(folder, **sizes, on_error=on_error)
    with contextlib.suppress(ValueError):
        for x, y in stream:
            assert all(type(value) in (str, float) for value in x.values())
            stream.taxonomy._closure_mask(y)
