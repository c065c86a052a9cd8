"""RCV1 from small corpora in the publisher's format, and as it is."""

from __future__ import annotations

import collections
import functools
import gzip
import hashlib
import itertools
import math
import re
import tracemalloc

import pytest
from river import datasets as river_datasets

from river_hier import Taxonomy, datasets
from river_hier.datasets.corpora import rcv1
from river_hier.datasets.io import file_dataset
from support.paths import DATA
from support.rcv1_corpus import (
    HIERARCHY,
    PARENTS,
    QRELS,
    TRAIN,
    VECTORS,
    XS,
    YS,
    on,
    write,
    write_corpus,
)


@pytest.fixture
def folder(tmp_path):
    return write_corpus(tmp_path)


def test_examples(folder):
    stream = datasets.RCV1(folder)
    examples = list(stream)
    assert [x for x, _ in examples] == XS
    assert [on(y) for _, y in examples] == YS
    for x, y in examples:
        assert type(x) is type(y) is dict
        assert list(y) == list(PARENTS)  # every label but the root, in taxonomy order
        assert all(type(value) is bool for value in y.values())
    assert list(stream) == examples


def test_answers_are_fresh(folder):
    stream = datasets.RCV1(folder)
    for x, y in stream:
        x.clear()
        for topic in y:
            y[topic] = True
    assert [on(y) for _, y in stream] == YS


def test_taxonomy(folder):
    stream = datasets.RCV1(folder)
    assert stream.taxonomy.root == "Root"
    assert stream.taxonomy == Taxonomy.from_parents(PARENTS)
    assert stream.taxonomy is stream.taxonomy


def test_without_the_two_rare_topics(folder):
    stream = datasets.RCV1(folder, topics=101)
    kept = [topic for topic in PARENTS if topic not in {"GMIL", "M143"}]
    assert stream.taxonomy == Taxonomy.from_parents({t: PARENTS[t] for t in kept})
    assert [list(y) for _, y in stream] == [kept] * 3
    assert [on(y) for _, y in stream] == [{"CCAT", "C15", "MCAT", "M14"}, {"MCAT"}, {"GCAT"}]


def test_missing_ancestors_are_filled_in(folder):
    write(folder / "rcv1-v2.topics.qrels", ["C151 2286 1", "M143 2287 1", "GMIL 2290 1"])
    assert [on(y) for _, y in datasets.RCV1(folder)] == [
        {"CCAT", "C15", "C151"},
        {"MCAT", "M14", "M143"},
        {"GCAT", "GMIL"},
    ]
    assert [on(y) for _, y in datasets.RCV1(folder, topics=101)][1:] == [{"MCAT", "M14"}, {"GCAT"}]


def test_a_document_without_features(folder):
    write(folder / "lyrl2004_vectors_train.dat", ["2286", "2290  4:1"])
    assert [x for x, _ in datasets.RCV1(folder)] == [{}, {"4": 1.0}]


def test_topics_of_other_documents_are_passed_over(folder):
    others = ["C15 2200 1", "C15 2201 1", *QRELS[:6], "CCAT 2288 1", *QRELS[6:], "CCAT 2300 1"]
    write(folder / "rcv1-v2.topics.qrels", others)
    assert [on(y) for _, y in datasets.RCV1(folder)] == YS
    write(folder / "lyrl2004_vectors_train.dat", VECTORS[1:2])
    assert [on(y) for _, y in datasets.RCV1(folder)] == YS[1:2]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_the_first_bytes_tell_what_is_packed(tmp_path, packed, suffix):
    write(tmp_path / f"rcv1.topics.hier.orig{suffix}", HIERARCHY, packed)
    write(tmp_path / f"rcv1-v2.topics.qrels{suffix}", QRELS, packed)
    write(tmp_path / f"lyrl2004_vectors_train.dat{suffix}", VECTORS, packed)
    assert [(x, on(y)) for x, y in datasets.RCV1(tmp_path)] == list(zip(XS, YS, strict=True))


def test_parts(folder):
    vectors = [f"{i}  1:1" for i in range(3000, 3008)]
    for i in range(4):
        pack = i % 2 == 0
        name = f"lyrl2004_vectors_test_pt{i}.dat" + ".gz" * pack
        write(folder / name, vectors[2 * i : 2 * i + 2], pack)
    topics = (f"{'CCAT' if i % 2 else 'MCAT'} {i} 1" for i in range(3000, 3008))
    write(folder / "rcv1-v2.topics.qrels", [*QRELS, *topics])

    of_test = [{"MCAT"}, {"CCAT"}] * 4
    read = functools.partial(datasets.RCV1, folder)
    assert [on(y) for _, y in read()] == YS
    assert [on(y) for _, y in read(subsets=("test",))] == of_test
    assert [on(y) for _, y in read(subsets=("train", "test"))] == YS + of_test
    assert list(read(subsets=["test", "train"])) == list(read(subsets=("train", "test")))


def test_nothing_is_read_ahead(folder):
    write(folder / "lyrl2004_vectors_train.dat", [*VECTORS[:2], "and here it breaks"])
    assert [x for x, _ in datasets.RCV1(folder).take(2)] == XS[:2]

    packed = gzip.compress("".join(f"{i}  1:{i / 7}\n" for i in range(2286, 20_000)).encode())
    (folder / TRAIN).write_bytes(packed[: len(packed) // 2])
    assert len(list(datasets.RCV1(folder).take(1))) == 1


def test_memory_does_not_grow(folder):
    def peak(n):
        documents = range(1, n + 1)
        terms = " ".join(f"{i}:0.5" for i in range(50))
        write(folder / TRAIN, (f"{i}  {terms}" for i in documents), pack=True)
        write(folder / "rcv1-v2.topics.qrels", (f"C15 {i} 1" for i in documents))
        stream = datasets.RCV1(folder)
        collections.deque(stream.take(5), maxlen=0)
        tracemalloc.start()
        collections.deque(stream, maxlen=0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert peak(2_000) < 1.2 * peak(200) + 20_000


# What it says of itself


def test_description(folder):
    stream = datasets.RCV1(folder)
    assert isinstance(stream, river_datasets.base.Dataset)
    assert stream.task == "Multi-output binary classification"
    assert (stream.n_features, stream.n_outputs, stream.sparse) == (47_236, 103, True)
    assert stream.n_samples is None
    text = repr(stream)
    assert text.startswith("Reuters Corpus Volume 1, version 2")
    assert re.search(rf"^ +Path  {folder}$", text, re.MULTILINE)
    assert "Parameters\n----------" in text


def test_the_official_numbers(monkeypatch):
    monkeypatch.setattr(file_dataset, "fetch", None)  # nothing is downloaded to know them
    assert datasets.RCV1().n_samples == 23_149
    assert datasets.RCV1(subsets=("test",)).n_samples == 781_265
    assert datasets.RCV1(subsets=("train", "test")).n_samples == 804_414
    assert datasets.RCV1(topics=101).n_outputs == 101
    assert "Samples  804,414" in repr(datasets.RCV1(subsets=("train", "test")))


# The data themselves


@pytest.fixture(scope="module")
def real():
    data = DATA
    if not (data / "rcv1").is_dir():
        pytest.skip(f"no RCV1 at {data}: set RIVER_HIER_DATA")
    return data / "rcv1"


def test_the_real_taxonomy(real):
    def by_depth(taxonomy):
        counts = collections.Counter(map(taxonomy.depth, taxonomy))
        return [counts[depth] for depth in range(taxonomy.height + 1)]

    t = datasets.RCV1(real).taxonomy
    assert by_depth(t) == [1, 4, 55, 43, 1]
    assert t.children("Root") == ("CCAT", "ECAT", "GCAT", "MCAT")
    assert t.path("C1511") == ("Root", "CCAT", "C15", "C151", "C1511")
    # Section 8 of the H-RLS paper: {0.04, 0.53, 0.42, 0.01} of 101 topics
    papers = by_depth(datasets.RCV1(real, topics=101).taxonomy)[1:]
    assert papers == [4, 54, 42, 1]
    assert [round(n / 101, 2) for n in papers] == [0.04, 0.53, 0.42, 0.01]


def test_the_published_hierarchy_is_the_one_that_is_downloaded(real):
    data = (real / rcv1._HIERARCHY).read_bytes()
    assert hashlib.sha256(data).hexdigest() == rcv1._SHA256[rcv1._HIERARCHY]


def test_the_real_documents(real):
    stream = datasets.RCV1(real)
    t = stream.taxonomy
    parents = {topic: t.parent(topic) for topic in t.nodes[1:]}
    documents = features = topics = 0
    seen = collections.Counter()
    for x, y in stream:
        assert len(y) == 103
        labels = on(y)
        assert labels
        assert all(parents[topic] in labels or parents[topic] == "Root" for topic in labels)
        assert math.isclose(sum(w * w for w in x.values()), 1.0, abs_tol=1e-5)
        documents += 1
        features += len(x)
        topics += len(labels)
        seen.update(labels)
    assert (documents, topics) == (15_926, 51_010)  # as many as lines: no ancestor was missing
    assert round(features / documents) == 78
    assert set(t.nodes[1:]) - set(seen) == {"M143"}


def test_the_real_stream_again_with_fewer_topics(real):
    prefix = datasets.RCV1(real).take(500)
    fewer = datasets.RCV1(real, topics=101).take(500)
    for (x, y), (x_again, y_again) in itertools.islice(zip(prefix, fewer, strict=True), 500):
        assert x == x_again
        assert on(y) - {"GMIL", "M143"} == on(y_again)
        assert len(y_again) == 101
