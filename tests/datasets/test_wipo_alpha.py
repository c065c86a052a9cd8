"""WIPO-alpha from small corpora in the publisher's format."""

from __future__ import annotations

import collections
import copy
import functools
import gc
import itertools
import pickle
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets as river_datasets
from river import evaluate, feature_extraction

from river_hier import Taxonomy, datasets, linear_model, metrics
from support.hypothesis_settings import n_examples
from support.packing import EVERYWHERE
from support.wipo_corpus import BOTH, GROUPS, RECORDS, YS, on, record, write_corpus


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus")


@pytest.mark.parametrize("packed", EVERYWHERE)
def test_the_same_examples_wherever_they_lie(corpus, packed):
    stream = datasets.WIPOAlpha(packed(corpus), subsets=BOTH)
    assert stream.taxonomy == Taxonomy.from_nested({"IPC": GROUPS})
    assert stream.taxonomy is stream.taxonomy
    examples = list(stream)
    assert [on(y) for _, y in examples] == list(YS.values())
    for x, y in examples:
        assert type(x) is type(y) is dict
        assert list(x) == ["title", "body", "claims", "description"]
        assert list(y) == list(stream.taxonomy.nodes[1:])  # in taxonomy order
        assert all(type(value) is bool for value in y.values())
    assert list(stream) == examples


def test_texts(corpus):
    (_, empty, plough) = (x for x, _ in datasets.WIPOAlpha(corpus))
    assert plough == {
        "title": "A plough",  # the English one
        "body": "The plough & more,at 5 °C, café.",
        "claims": "1. A plough.\n2. Another.",
        "description": "A <plough> is known.",
    }
    assert empty == dict.fromkeys(plough, "")


def test_parts(corpus):
    read = functools.partial(datasets.WIPOAlpha, corpus)
    assert [on(y) for _, y in read()] == list(YS.values())[:3]
    assert [on(y) for _, y in read(subsets=["test"])] == list(YS.values())[3:]
    assert list(read(subsets=["test", "train"])) == list(read(subsets=BOTH))
    assert read(subsets=["test"]).taxonomy == read().taxonomy  # what one knows the other knows


def test_sections(corpus):
    d = datasets.WIPOAlpha(corpus, sections="D", subsets=BOTH)
    # The plough, whose primary symbol is of A, does not count with its secondary one.
    groups = {"D01": {"D01G": ["D01G 15/00"]}, "D21": {"D21H": ["D21H 19/00"]}}
    assert d.taxonomy == Taxonomy.from_nested({"D": groups})
    assert [on(y) for _, y in d] == [
        {"D21", "D21H", "D21H 19/00"},
        {"D01", "D01G", "D01G 15/00", "D21", "D21H", "D21H 19/00"},
    ]
    both = datasets.WIPOAlpha(corpus, sections="HD", subsets=BOTH)
    assert both.taxonomy == Taxonomy.from_nested({"IPC": {"D": groups, "H": GROUPS["H"]}})
    assert [on(y) for _, y in both] == [
        {"D", *on(next(iter(d))[1])},
        {"D", "D01", "D01G", "D01G 15/00", "D21", "D21H", "D21H 19/00"},
        YS[2],
    ]


@pytest.mark.parametrize(
    ("folder", "train", "test"),
    [
        ("wipo/train", "A/1.xml", None),
        ("test-drive", "Trainzip/A/1.xml", "Testzip/1.xml"),
        ("train", "1.xml", "A/wipo-test/01/2.xml"),
        ("wipo", "test-drive/train/1.xml", "trained/x/test/2.xml"),
        ("wipo", "x/training.en/A/1.xml", "x/testing/A/1.xml"),
    ],
)
def test_the_nearest_folder_tells_the_part(tmp_path, folder, train, test):
    for name, mc in [(train, "A01B00100"), (test, "H04L00900"), ("../dev/0.xml", "B01D00100")]:
        if name:
            path = tmp_path / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(record("1", mc))
    read = functools.partial(datasets.WIPOAlpha, tmp_path / folder)
    assert ["A01B 1/00" in on(y) for _, y in read()] == [True]
    if test:
        assert ["H04L 9/00" in on(y) for _, y in read(subsets=["test"])] == [True]


symbols = st.builds(
    "{}{:02}{}{:03}{}".format,
    st.sampled_from("ADH"),
    st.integers(1, 2),
    st.sampled_from("BC"),
    st.integers(1, 12),
    st.sampled_from(["00", "10", "435"]),
)


@n_examples(50)
@given(st.lists(st.lists(symbols, min_size=1, max_size=4), min_size=1, max_size=5))
def test_any_symbols(records):
    """Against one label at a time, spelt out of the symbols."""

    def closed(symbol):
        group = f"{symbol[:4]} {symbol[4:7].lstrip('0')}/00"
        return {symbol[:1], symbol[:3], symbol[:4], group}

    with tempfile.TemporaryDirectory() as folder:
        for i, (mc, *ics) in enumerate(records):
            path = Path(folder, "train", f"{i}.xml")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(record(str(i), mc, *ics))
        stream = datasets.WIPOAlpha(folder)
        examples = list(stream)
    expected = [set().union(*map(closed, symbols)) for symbols in records]
    assert [on(y) for _, y in examples] == expected
    taxonomy = stream.taxonomy
    assert set(taxonomy) == set().union(*expected) | {"IPC"}
    for node in taxonomy.nodes[1:]:
        parent = {1: "IPC", 3: node[:1], 4: node[:3]}.get(len(node), node[:4])
        assert taxonomy.parent(node) == parent
        siblings = taxonomy.children(parent)
        numbers = [int(s[5:-3]) if " " in s else s for s in siblings]
        assert numbers == sorted(numbers)  # main groups as numbers, all else as text


def test_nothing_is_read_ahead(corpus):
    stream = datasets.WIPOAlpha(corpus)
    stream.taxonomy  # noqa: B018
    (corpus / "wipo-alpha/alphatrain/A/01/B/003/0007.xml").write_bytes(b"<broken")
    assert [on(y) for _, y in stream.take(2)] == [YS[3], YS[5]]


def test_texts_are_not_read_for_the_taxonomy(corpus):
    path = corpus / "wipo-alpha/alphatrain/A/01/B/003/0007.xml"
    long = record("7", "A01B00310", "A01B01500", "D01G00100", title="x" * 50_000)
    path.write_bytes(long.replace(b"</record>", b"</oops>"))
    stream = datasets.WIPOAlpha(corpus)
    assert len(stream.taxonomy) == 19
    with pytest.raises(ValueError, match=r"mismatched tag$"):
        list(stream)


@pytest.mark.parametrize("packed", EVERYWHERE)
def test_an_iterator_that_is_left_closes_its_files(corpus, packed):
    fds = Path("/proc/self/fd")
    if not fds.is_dir():
        pytest.skip("open files cannot be counted here")
    stream = datasets.WIPOAlpha(packed(corpus))
    assert len(stream.taxonomy) == 19
    before = len(list(fds.iterdir()))
    iterator = iter(stream)
    next(iterator)
    iterator.close()
    assert len(list(fds.iterdir())) == before


@pytest.mark.slow
def test_memory_does_not_grow(tmp_path):
    def peak(n):
        folder = tmp_path / str(n) / "train"
        folder.mkdir(parents=True)
        for i in range(n):
            (folder / f"{i}.xml").write_bytes(record(str(i), "A01B00100", title="x" * 5_000))
        stream = datasets.WIPOAlpha(folder)
        collections.deque(stream.take(5), maxlen=0)
        gc.collect()
        tracemalloc.start()
        collections.deque(stream, maxlen=0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    # The names of the files are kept: half a kilobyte each.
    assert peak(300) < 1.2 * peak(30) + 300 * 1_000


def test_copies(corpus):
    stream = datasets.WIPOAlpha(corpus, sections="DH", subsets=["test"])
    examples = list(stream)
    assert len(examples) == 2
    for other in (copy.deepcopy(stream), pickle.loads(pickle.dumps(stream))):
        assert list(other) == examples
        assert other.taxonomy == stream.taxonomy
        assert (other.sections, other.subsets) == ("DH", ("test",))
    assert list(pickle.loads(pickle.dumps(stream.take(1)))) == examples[:1]


def test_a_pipeline(corpus):
    stream = datasets.WIPOAlpha(corpus, subsets=BOTH)
    model = feature_extraction.BagOfWords(on="title") | linear_model.HPerceptron(stream.taxonomy)
    metric = evaluate.progressive_val_score(stream, model, metrics.HLoss(stream.taxonomy))
    assert 0 < metric.get() < len(stream.taxonomy)


def test_description(corpus):
    stream = datasets.WIPOAlpha(corpus)
    assert isinstance(stream, river_datasets.base.Dataset)
    assert stream.task == "Multi-output binary classification"
    assert (stream.n_features, stream.n_samples, stream.sparse) == (4, None, False)
    assert repr(stream).startswith("WIPO-alpha: patent applications")
    assert "Path  River's data home" in repr(datasets.WIPOAlpha())
    assert sum(1 for _ in itertools.chain(stream, stream)) == 2 * (len(RECORDS) - 2)
