"""What all datasets that read files promise: the same examples again and again wherever the files
lie; and whatever lies in the files, examples or an error that says what is wrong.
"""

import collections
import copy
import gc
import gzip
import itertools
import os
import pickle
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets as river_datasets

from river_hier import datasets
from river_hier.datasets import file_dataset
from support import hmc_corpus, packing, rcv1_corpus
from support.corpora import FORMATS, MANY, corpus, never_skipped, read, stream_of
from support.hypothesis_settings import n_examples

each = pytest.mark.parametrize("name", FORMATS)


@pytest.fixture(autouse=True)
def _speech(request):
    if "TIMIT" in str(getattr(request.node, "callspec", None) and request.node.callspec.params):
        pytest.importorskip("kaldi_native_fbank", reason="speech needs the extra `audio`")


@pytest.fixture
def folder(tmp_path, name):
    path = tmp_path / "corpus"
    path.mkdir()
    FORMATS[name][0](path)
    return path


def test_every_reader_is_tried():
    missing = set(datasets.__all__) - {"base", "synth"} - set(FORMATS)
    assert not missing, f"tests/support/corpora.py: add a small corpus to FORMATS: {missing}"


# What comes out


@each
@pytest.mark.parametrize("packed", packing.EVERYWHERE)
def test_the_same_examples_wherever_the_files_lie(name, folder, packed):
    plain, stream = stream_of(name, folder), stream_of(name, packed(folder))
    examples = list(plain)
    assert len(examples) > 1
    assert list(stream) == list(stream) == examples
    assert stream.taxonomy == plain.taxonomy
    assert stream.taxonomy is stream.taxonomy
    for x, y in examples:
        assert type(x) is dict
        if isinstance(y, dict):  # every label but the root, in the order of the taxonomy
            assert list(y) == list(stream.taxonomy.nodes[1:])
            assert all(type(value) is bool for value in y.values())
        else:
            assert y in stream.taxonomy


@each
def test_a_stream_is_read_again_and_again(name, folder):
    stream = stream_of(name, folder, on_error="skip")
    examples = list(stream)
    for other in (pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream)):
        assert list(other) == examples
        assert other.taxonomy == stream.taxonomy
        assert other.on_error == "skip"
    assert list(itertools.chain(*zip(stream, stream, strict=True)))[::2] == examples
    first = stream.take(2)
    assert list(first) == list(pickle.loads(pickle.dumps(first))) == examples[:2]
    assert first.taxonomy is stream.taxonomy
    assert sorted(map(str, stream.shuffle(seed=1))) == sorted(map(str, examples))


@each
def test_changed_examples_do_not_come_back(name, folder):
    stream = stream_of(name, folder)
    examples = copy.deepcopy(list(stream))
    for x, y in stream:
        x.clear()
        if isinstance(y, dict):
            y.update(dict.fromkeys(y, True))
    assert list(stream) == examples


BROKEN = {
    "HMC": "yeast_FUN.train.arff",
    "OHSUMED": "ohsumed.87",
    "RCV1": "lyrl2004_vectors_train.dat",
    "Reuters21578": "reut2-000.sgm",
}


@pytest.mark.parametrize("name", BROKEN)
def test_nothing_is_read_ahead(name, folder):
    examples = list(stream_of(name, folder).take(1))
    with (folder / BROKEN[name]).open("a") as file:
        file.write(".I and here it breaks\n")
    assert list(stream_of(name, folder).take(1)) == examples
    with pytest.raises(ValueError, match=f"^{BROKEN[name]}"):
        list(stream_of(name, folder))


SEVERAL, ONE = "Multi-output binary classification", "Multi-class classification"
SELF = {  # task, features, labels, sparse; the numbers of labels that are known without the files
    "HMC": (SEVERAL, 4, 4, False),
    "OHSUMED": (SEVERAL, 5, None, False),
    "RCV1": (SEVERAL, 47_236, 103, True),
    "Reuters21578": (SEVERAL, 3, 140, False),
    "TIMIT": (ONE, 195, 41, False),
    "TIMITSegments": (ONE, 39, 41, False),
}


@each
def test_what_a_stream_says_of_itself(name, folder):
    stream = stream_of(name, folder)
    assert isinstance(stream, river_datasets.base.Dataset)
    n_labels = stream.n_outputs if stream.task == SEVERAL else stream.n_classes
    assert (stream.task, stream.n_features, n_labels, stream.sparse) == SELF[name]
    assert stream.n_samples is None
    assert str(folder) in repr(stream)
    assert "Parameters\n----------" in repr(stream)
    with pytest.raises(ValueError, match=r"^`on_error` must be 'raise' or 'skip', got 'ignore'"):
        stream_of(name, folder, on_error="ignore")


def test_the_official_numbers(monkeypatch):
    monkeypatch.setattr(file_dataset, "fetch", None)  # nothing is downloaded to know them
    assert datasets.RCV1().n_samples == 23_149
    assert datasets.RCV1(subsets=("test",)).n_samples == 781_265
    assert datasets.RCV1(subsets=("train", "test")).n_samples == 804_414
    assert datasets.RCV1(topics=101).n_outputs == 101
    assert "Samples  804,414" in repr(datasets.RCV1(subsets=("train", "test")))
    assert datasets.Reuters21578().n_samples == 9_603
    for split in ("ModApte", "ModLewis", "ModHayes"):
        whole = datasets.Reuters21578(None, split, ("train", "test", "unused"))
        assert whole.n_samples == 21_578


SUBSETS = [name for name in FORMATS if name != "OHSUMED"]


@pytest.mark.parametrize("name", SUBSETS)
@pytest.mark.parametrize("wrong", ["train", (), ("train", "tests"), (0,), 5, ([],)])
def test_wrong_subsets(name, wrong):
    with pytest.raises(ValueError, match=r"^`subsets` must be a list or tuple of some of \('train"):
        getattr(datasets, name)(subsets=wrong)


@each
def test_without_files(name, tmp_path, monkeypatch):
    cls = getattr(datasets, name)
    with pytest.raises(FileNotFoundError, match=r"there is no file or folder .*none.; .*http"):
        list(stream_of(name, tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match=r" lacks .*; .*http"):
        list(stream_of(name, tmp_path))
    if not cls()._sources():
        monkeypatch.setenv("RIVER_DATA", str(tmp_path / "home"))
        with pytest.raises(FileNotFoundError, match=f"home/{name}'"):
            next(iter(stream_of(name, None)))


# Files and memory


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted on Linux")
@each
@pytest.mark.parametrize("packed", packing.EVERYWHERE)
def test_files_are_closed(name, folder, packed, tmp_path):
    stream = stream_of(name, packed(folder))
    _ = stream.taxonomy
    abandoned = iter(stream)
    next(abandoned)
    del abandoned
    assert open_files(tmp_path) == []
    list(stream)
    assert open_files(tmp_path) == []


def open_files(folder):
    """Those in a folder that this process has open."""
    files = (os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd"))
    return [file for file in files if file.startswith(str(folder))]


def large_rcv1(folder, n):
    rcv1_corpus.write_corpus(folder)
    terms = " ".join(f"{i}:0.5" for i in range(50))
    vectors = (f"{i}  {terms}" for i in range(1, n + 1))
    rcv1_corpus.write(folder / "lyrl2004_vectors_train.dat", vectors)
    rcv1_corpus.write(folder / "rcv1-v2.topics.qrels", (f"C15 {i} 1" for i in range(1, n + 1)))


def large_hmc(folder, n):
    rows = (f"{i},left,{i / 7},x,01/01@02" for i in range(n))
    (folder / "many.train.arff").write_text(hmc_corpus.text(rows))


LARGE = {  # and a number of records
    "HMC": (large_hmc, 3_000),
    "RCV1": (large_rcv1, 1_000),
}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", LARGE)
def test_memory_does_not_grow(name, tmp_path):
    write, most = LARGE[name]

    def peak(n):
        folder = tmp_path / str(n)
        folder.mkdir()
        write(folder, n)
        stream = stream_of(name, folder)
        collections.deque(stream.take(5), maxlen=0)
        gc.collect()
        tracemalloc.start()
        collections.deque(stream, maxlen=0)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    # Python keeps some thousands of small tuples to be used again; names of files are kept.
    assert peak(most) < 1.2 * peak(most // 8) + 300_000


# Damage


@pytest.fixture
def text_file(folder, name):
    """The largest file of text."""
    files = [
        p for p in folder.rglob("*") if p.is_file() and p.suffix.lower() not in (".wav", ".txt")
    ]
    return max(files or folder.rglob("*.txt"), key=lambda p: p.stat().st_size)


@each
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty, expected text, packed with gzip or not"),
        (b"PK\3\4\x14\0 and more", "is a zip archive, expected text"),
        (b"\n<!DOCTYPE html>\n<html>", "is a web page, expected text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a binary file, expected text"),
    ],
)
def test_foreign_files(name, folder, text_file, data, message):
    text_file.write_bytes(data)
    message = f"{text_file.relative_to(folder)} {message}"
    never_skipped(lambda e: stream_of(name, folder, on_error=e), message)


@each
def test_packed_files_that_are_cut_off_or_damaged(name, folder, text_file):
    whole = gzip.compress(text_file.read_bytes())
    file = text_file.relative_to(folder)
    for data, message in (
        (whole[:-20], f"{file} is cut off after line "),
        (whole[:-8] + b"\0" * 8, f"{file} is damaged after line "),
    ):
        text_file.write_bytes(data)  # it is unknown how much is missing
        never_skipped(lambda e: stream_of(name, folder, on_error=e), message)


@pytest.mark.slow(but=3)
@each
def test_any_bytes_in_any_file(name):
    with corpus(name) as path:
        assert read(name, path, "raise") > 0
        wholes = {file: file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}

        @n_examples(80)
        @given(st.sampled_from(list(wholes)).flatmap(damaged), st.sampled_from(["raise", "skip"]))
        def try_it(broken, on_error):
            file, data = broken
            file.write_bytes(data)
            try:
                assert read(name, path, on_error) < MANY
            finally:
                file.write_bytes(wholes[file])

        try_it()


def damaged(file):
    return packing.mutations(file.read_bytes()).map(lambda data: (file, data))


@pytest.mark.slow(but=3)
@pytest.mark.parametrize("packed", packing.EVERYWHERE[1:])
@pytest.mark.parametrize("name", ["RCV1"])
def test_any_bytes_in_any_archive(name, packed):
    with corpus(name) as path:
        archive = packed(path)
        file = archive if archive.is_file() else min(archive.rglob("*.gz"))
        whole = file.read_bytes()

        @n_examples(40)
        @given(packing.mutations(whole), st.sampled_from(["raise", "skip"]))
        def try_it(data, on_error):
            file.write_bytes(data)
            assert read(name, archive, on_error) < MANY

        try_it()
