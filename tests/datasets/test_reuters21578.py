"""Reuters-21578 from small corpora in the publisher's format, and as it is."""

from __future__ import annotations

import collections
import copy
import functools
import gc
import itertools
import pathlib
import pickle
import re
import shutil
import tempfile
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets as river_datasets
from river import evaluate, feature_extraction

from oracles import reuters
from river_hier import Taxonomy, datasets, linear_model, metrics
from river_hier.datasets.corpora import reuters21578
from river_hier.datasets.io import file_dataset
from support.hypothesis_settings import n_examples
from support.packing import EVERYWHERE, tarred
from support.paths import DATA
from support.reuters_corpus import (
    ALL,
    NAMES,
    PATHS,
    STORIES,
    XS,
    YS,
    on,
    story,
    write_corpus,
    write_stories,
)


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus")


@pytest.mark.parametrize("packed", EVERYWHERE)
def test_the_same_examples_wherever_they_lie(corpus, packed):
    stream = datasets.Reuters21578(packed(corpus), subsets=ALL)
    examples = list(stream)
    assert [x for x, _ in examples] == XS
    assert [on(y) for _, y in examples] == YS
    for x, y in examples:
        assert type(x) is type(y) is dict
        assert list(x) == ["date", "title", "body"]
        assert list(y) == NAMES  # every label but the root, in taxonomy order
        assert all(type(value) is bool for value in y.values())
    assert list(stream) == examples
    assert stream.taxonomy is stream.taxonomy
    assert stream.taxonomy == Taxonomy.from_paths(("Subject Codes", *path) for path in PATHS)


def test_a_folder_that_holds_the_archive(corpus, tmp_path):
    (tmp_path / "mine").mkdir()
    shutil.move(tarred(corpus), tmp_path / "mine" / "reuters21578.tar.gz")
    stream = datasets.Reuters21578(tmp_path / "mine", subsets=ALL)
    assert [x for x, _ in stream] == XS
    assert stream.location.name == "reuters21578.tar.gz"


def test_answers_are_fresh(corpus):
    stream = datasets.Reuters21578(corpus, subsets=ALL)
    for x, y in stream:
        x.clear()
        for topic in y:
            y[topic] = True
    assert [on(y) for _, y in stream] == YS


SIZES = {"ModApte": [1, 2, 3], "ModLewis": [2, 2, 2], "ModHayes": [0, 1, 5]}


@pytest.mark.parametrize("split", SIZES)
def test_splits(corpus, split):
    read = functools.partial(datasets.Reuters21578, corpus, split)
    by_part = {part: [] for part in ALL}
    for marks, x, _ in reuters.stories(corpus):
        by_part[reuters.part(split, marks)].append(x)
    for part in ALL:
        assert [x for x, _ in read(subsets=[part])] == by_part[part]
    assert sorted(len(xs) for xs in by_part.values()) == SIZES[split]
    # In the order of the files, whatever the order given.
    assert list(read(subsets=["unused", "test", "train"])) == list(read(subsets=ALL))
    assert [x for x, _ in read()] == by_part["train"]


texts = st.text(st.characters(codec="latin-1", exclude_categories=["Cc"]), max_size=30)


@n_examples(30)
@given(st.lists(st.tuples(texts, texts, st.sets(st.sampled_from(PATHS))), max_size=5))
def test_what_is_written_is_read(stories):
    def escaped(text):
        return text.replace("&", "&amp;").replace("<", "&lt;")

    with tempfile.TemporaryDirectory() as name:
        corpus = write_corpus(pathlib.Path(name, "corpus"))
        (corpus / "reut2-001.sgm").unlink()
        written = [
            story(
                topics=" ".join(topic for *_, topic in paths),
                title=escaped(title),
                body=escaped(body),
            )
            for title, body, paths in stories
        ]
        write_stories(corpus / "reut2-000.sgm", written)
        examples = list(datasets.Reuters21578(corpus))
    assert [x["title"] for x, _ in examples] == [title.strip() for title, _, _ in stories]
    assert [x["body"] for x, _ in examples] == [f"{b}\n Reuter".strip() for _, b, _ in stories]
    assert [on(y) for _, y in examples] == [
        {t for path in paths for t in path} for *_, paths in stories
    ]


def test_nothing_is_read_ahead(corpus):
    write_stories(corpus / "reut2-000.sgm", [*STORIES[:2], "and here it breaks\n"])
    assert [x for x, _ in datasets.Reuters21578(corpus).take(2)] == XS[:2]


@pytest.mark.parametrize("packed", EVERYWHERE)
def test_an_iterator_that_is_left_closes_its_files(corpus, packed):
    fds = pathlib.Path("/proc/self/fd")
    if not fds.is_dir():
        pytest.skip("open files cannot be counted here")
    stream = datasets.Reuters21578(packed(corpus))
    assert len(stream.taxonomy) == 10
    before = len(list(fds.iterdir()))
    iterator = iter(stream)
    next(iterator)
    assert len(list(fds.iterdir())) > before
    iterator.close()
    assert len(list(fds.iterdir())) == before


def test_memory_does_not_grow(corpus):
    (corpus / "reut2-001.sgm").unlink()
    one = story(topics="gold", title="T" * 60, body="B" * 2_000)

    def peak(n):
        write_stories(corpus / "reut2-000.sgm", [one] * n)
        stream = datasets.Reuters21578(corpus)
        collections.deque(stream.take(5), maxlen=0)
        gc.collect()
        tracemalloc.start()
        collections.deque(stream, maxlen=0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert peak(400) < 1.2 * peak(50) + 20_000


def test_copies(corpus):
    stream = datasets.Reuters21578(corpus, "ModLewis", subsets=["test"])
    examples = list(stream)
    for other in (copy.deepcopy(stream), pickle.loads(pickle.dumps(stream))):
        assert list(other) == examples
        assert other.taxonomy == stream.taxonomy
        assert (other.split, other.subsets) == ("ModLewis", ("test",))
    prefix = pickle.loads(pickle.dumps(stream.take(1)))
    assert list(prefix) == examples[:1]


def test_a_pipeline(corpus):
    stream = datasets.Reuters21578(corpus, subsets=ALL)
    model = feature_extraction.BagOfWords(on="title") | linear_model.HPerceptron(stream.taxonomy)
    metric = evaluate.progressive_val_score(stream, model, metrics.HLoss(stream.taxonomy))
    assert 0 < metric.get() < len(NAMES)


# What it says of itself


def test_description(corpus):
    stream = datasets.Reuters21578(corpus)
    assert isinstance(stream, river_datasets.base.Dataset)
    assert stream.task == "Multi-output binary classification"
    assert (stream.n_features, stream.n_outputs, stream.sparse) == (3, 140, False)
    assert stream.n_samples is None
    text = repr(stream)
    assert text.startswith("Reuters-21578, Distribution 1.0")
    assert re.search(rf"^ +Path  {corpus}$", text, re.MULTILINE)


def test_the_official_numbers(monkeypatch):
    monkeypatch.setattr(file_dataset, "fetch", None)  # nothing is downloaded to know them
    assert datasets.Reuters21578().n_samples == 9_603
    for split in ("ModApte", "ModLewis", "ModHayes"):
        assert datasets.Reuters21578(None, split, ALL).n_samples == 21_578


# The data themselves


@pytest.fixture(scope="module")
def archive():
    data = DATA
    if not (data / "reuters21578").is_dir():
        pytest.skip(f"no Reuters-21578 at {data}: set RIVER_HIER_DATA")
    return data / "reuters21578" / "reuters21578.tar.gz"


@pytest.fixture(scope="module")
def real(archive, tmp_path_factory):
    path = tmp_path_factory.mktemp("reuters21578")
    shutil.unpack_archive(archive, path)
    return path


@pytest.fixture(scope="module")
def expected(real):
    return reuters.stories(real)


def test_the_real_taxonomy(real):
    t = datasets.Reuters21578(real).taxonomy
    counts = collections.Counter(map(t.depth, t))
    assert [counts[depth] for depth in range(t.height + 1)] == [1, 8, 132]
    assert t.path("crude") == ("Subject Codes", "Energy Codes", "crude")
    listed = (real / "all-topics-strings.lc.txt").read_text().split()
    assert sorted(t.leaves) == sorted(listed)
    assert len(listed) == 135


@pytest.mark.slow
def test_the_real_stories(real, expected):
    stream = datasets.Reuters21578(real, subsets=ALL)
    topics = collections.Counter()
    dates = []
    for (x, y), (_, their_x, their_topics) in zip(stream, expected, strict=True):
        assert x == their_x
        assert on(y) == set(stream.taxonomy.closure(their_topics)) - {"Subject Codes"}
        topics.update(on(y))
        dates.append(x["date"])
    assert len(dates) == 21_578
    assert (topics["earn"], topics["acq"], topics["crude"]) == (3_987, 2_448, 634)
    assert sum(topic in topics for topic in stream.taxonomy.leaves) == 120
    backwards = [later for day, later in itertools.pairwise(dates) if day > later]
    assert [day.isoformat() for day in backwards] == ["1987-03-31", "1987-10-19"]


@pytest.mark.slow
def test_the_real_splits(real, expected):
    for name, split in reuters21578._SPLITS.items():
        parts = collections.Counter(reuters.part(name, marks) for marks, _, _ in expected)
        assert {part: parts[part] for part in ALL} == split.sizes
    days = {
        part: [x["date"].isoformat() for x, _ in datasets.Reuters21578(real, subsets=[part])]
        for part in ("train", "test")
    }
    assert (len(days["train"]), len(days["test"])) == (9_603, 3_299)
    assert max(days["train"]) == "1987-04-07"
    assert min(days["test"]) == "1987-04-08"


def test_the_real_archive(archive, real):
    first = list(datasets.Reuters21578(real).take(50))
    assert list(datasets.Reuters21578(archive).take(50)) == first
    assert list(datasets.Reuters21578(archive.parent).take(50)) == first


@pytest.mark.parametrize("topics", ["<D>" * 100_000, "<D>wheat<D>" * 50_000, "<D>" + "<" * 300_000])
def test_topics_without_an_end_take_no_long_time(tmp_path, topics):
    write_corpus(tmp_path)
    name = next(path for path in sorted(tmp_path.rglob("*")) if path.suffix == ".sgm")
    text = name.read_text("latin-1").replace("<TOPICS>", f"<TOPICS>{topics}", 1)
    name.write_text(text, "latin-1")
    start = time.process_time()
    with pytest.raises(ValueError, match=r"line \d+: .*<D> without </D>"):
        list(datasets.Reuters21578(tmp_path))
    assert time.process_time() - start < 3.0
