"""OHSUMED from small corpora in the publishers' formats, and from real records."""

from __future__ import annotations

import collections
import copy
import itertools
import os
import pickle
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets as river_datasets

from oracles import mesh as oracle
from river_hier import datasets
from river_hier.datasets.formats import medline, mesh
from support.ohsumed_corpus import (
    RECORDS,
    TREE,
    XS,
    YS,
    data,
    on,
    write_folder,
    write_packed,
    write_tar_gz,
    write_zip,
)
from support.paths import DATA

NODES = ["Bronchial Diseases", "Lung Diseases", "Asthma", "Wheezing; Stridor"]
NODES += ["Cystic Fibrosis", "Pneumonia", "Pneumonia, Bacterial"]


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path)


@pytest.mark.parametrize("write", [write_folder, write_packed, write_zip, write_tar_gz])
def test_examples_wherever_the_files_lie(tmp_path, write):
    stream = datasets.OHSUMED(write(tmp_path), root="C08")
    examples = list(stream)
    assert [x for x, _ in examples] == XS
    assert [on(y) for _, y in examples] == YS
    for x, y in examples:
        assert type(x) is type(y) is dict
        assert list(y) == NODES == list(stream.taxonomy.nodes[1:])
        assert all(type(value) is bool for value in y.values())
    assert list(stream) == examples
    assert list(itertools.islice(stream, 1)) == list(stream.take(1)) == examples[:1]


@pytest.mark.parametrize("pack", [None, "gz"])
def test_a_file_of_records_and_a_tree_elsewhere(tmp_path, pack):
    folder = write_packed(tmp_path) if pack else write_folder(tmp_path)
    suffix = ".gz" if pack else ""
    stream = datasets.OHSUMED(
        folder / f"ohsumed.87{suffix}", root="C08", mesh=folder / f"mtrees2015.bin{suffix}"
    )
    assert [(x, on(y)) for x, y in stream] == list(zip(XS, YS, strict=True))


def test_answers_are_fresh(folder):
    stream = datasets.OHSUMED(folder, root="C08")
    for x, y in stream:
        x.clear()
        for heading in y:
            y[heading] = True
    assert [on(y) for _, y in stream] == YS


def test_the_dag(folder):
    stream = datasets.OHSUMED(folder, root="C08", tree=False)
    t = stream.taxonomy
    assert set(t) == {"Respiratory Tract Diseases", *NODES, "Bronchitis", "Bronchiolitis"}
    assert t.parents("Bronchitis") == ("Bronchial Diseases", "Lung Diseases")
    assert t.parents("Bronchiolitis") == ("Bronchitis",)  # of two numbers, but one parent
    assert [on(y) for _, y in stream] == [*YS[:2], YS[2] | {"Bronchitis", "Bronchiolitis"}]
    assert stream.taxonomy is t


def test_a_category(folder):
    stream = datasets.OHSUMED(folder, root="C", tree=False)
    assert stream.taxonomy.children("C") == ("Respiratory Tract Diseases", "Congenital Diseases")
    assert stream.taxonomy.parents("Cystic Fibrosis") == ("Lung Diseases", "Genetic Diseases")
    assert on(next(iter(stream))[1]) >= {"Genetic Diseases", "Congenital Diseases", *YS[0]}
    assert len(list(stream)) == 4  # with the record that is about the root of the others


def test_the_same_number_of_paths_seen_from_lower_down(folder):
    stream = datasets.OHSUMED(folder, root="C08.127")
    below = {"Asthma", "Wheezing; Stridor", "Bronchitis", "Bronchiolitis"}
    assert set(stream.taxonomy) == {"Bronchial Diseases", *below}
    tree = data([*TREE, "Bronchitis;C08.127.999"])  # two numbers under one parent: one path
    (folder / "mtrees2015.bin").write_bytes(tree)
    assert datasets.OHSUMED(folder, root="C08.127").taxonomy == stream.taxonomy


def test_unknown_headings_are_counted_anew_each_time(folder, monkeypatch):
    stream = datasets.OHSUMED(folder, root="C08")
    assert stream.unknown_headings == {}
    for _ in range(2):
        list(stream)
        assert stream.unknown_headings == {"Human": 3, "Support, U.S. Gov't, P.H.S.": 1}
    assert stream.n_skipped == 0
    monkeypatch.setattr("river_hier.datasets.corpora.ohsumed._KEPT", 1)
    list(stream)
    assert stream.unknown_headings == {"Human": 3}


def test_headings():
    assert medline.headings("A/*CO; B, C/IM/*DI; *D; A; Support, P.H.S..") == [
        "A", "B, C", "D", "Support, P.H.S."
    ]  # fmt: skip
    assert medline.headings("") == medline.headings(" ; /DI.") == []


def test_files_are_read_in_the_order_of_their_names(tmp_path):
    def record(n):
        return [f".I {n}", ".U", str(n), ".M", "Asthma."]

    files = {  # as TREC packs them
        "trec9-test/ohsumed.88-91": record(2) + record(3),
        "trec9-train/ohsumed.87": record(1),
        "trec9-train/query.ohsu.1-63": ["<top>"],
        "mtrees2015.bin": TREE,
    }
    stream = datasets.OHSUMED(write_tar_gz(tmp_path, files), root="C08")
    assert [x["id"] for x, _ in stream] == ["1", "2", "3"]


def test_the_taxonomy_needs_the_tree_alone(folder):
    (folder / "ohsumed.87").unlink()
    assert list(datasets.OHSUMED(folder, root="C08").taxonomy.nodes[1:]) == NODES


def test_nothing_is_read_ahead(folder):
    (folder / "ohsumed.87").write_bytes(data([*RECORDS[:22], "here it breaks", ".I x"]))
    assert [x for x, _ in datasets.OHSUMED(folder, root="C08").take(1)] == XS[:1]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted on Linux")
@pytest.mark.parametrize("write", [write_folder, write_packed, write_zip, write_tar_gz])
def test_what_is_left_in_the_middle_closes_its_files(tmp_path, write):
    before = len(os.listdir("/proc/self/fd"))
    examples = iter(datasets.OHSUMED(write(tmp_path), root="C08"))
    next(examples)
    assert len(os.listdir("/proc/self/fd")) > before
    del examples
    assert len(os.listdir("/proc/self/fd")) == before


def test_memory_does_not_grow(folder):
    def peak(n):
        (folder / "ohsumed.87").write_bytes(data(RECORDS * n))
        stream = datasets.OHSUMED(folder, root="C08")
        collections.deque(stream.take(5), maxlen=0)
        tracemalloc.start()
        collections.deque(stream, maxlen=0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert peak(1_000) < 1.2 * peak(100) + 20_000


def test_copies_go_on_equal(folder):
    stream = datasets.OHSUMED(folder, root="C08")
    for other in (stream, pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream)):
        assert [on(y) for _, y in other] == YS
        assert other.unknown_headings == {"Human": 3, "Support, U.S. Gov't, P.H.S.": 1}
        assert other.taxonomy == stream.taxonomy


def test_description(folder):
    stream = datasets.OHSUMED(folder, root="C08")
    assert isinstance(stream, river_datasets.base.Dataset)
    assert stream.task == "Multi-output binary classification"
    assert stream.n_features == len(XS[0])
    assert stream.n_samples is None
    assert repr(stream).startswith("OHSUMED: abstracts of medical articles")
    assert f"Path  {folder}" in repr(stream)


# Against all paths


@st.composite
def trees(draw):
    """Lines of a tree whose headings may stand in several places, but never below themselves."""
    numbers = ["N05"]
    names = {"N05": "root"}
    for i in range(draw(st.integers(1, 9))):
        above = draw(st.sampled_from(numbers))
        # In alphabetical order from the top: no heading can come below itself.
        free = [h for h in "abcdefgh" if names[above] == "root" or h > names[above]]
        if free:
            number = f"{above}.{i:03}"
            numbers.append(number)
            names[number] = draw(st.sampled_from(free))
    return [(names[number], number) for number in numbers]


@given(trees(), st.sets(st.sampled_from("abcdefgh"), max_size=3))
def test_a_heading_switches_on_what_is_kept_on_its_paths(lines, headings):
    found = {number: heading for heading, number in lines}
    if len(found) == 1:
        return
    dag = mesh.fragment(found, "tree", "N05")
    tree = mesh.unique_paths(dag)
    kept = oracle.kept(lines, "N05")
    assert tree.is_tree
    assert set(tree.nodes[1:]) == kept
    known = {heading for heading in headings if heading in dag}
    every = oracle.switched_on(lines, "N05", known, set(dag.nodes[1:]))
    assert dag.closure(known) - {"root"} == every
    assert every & kept == oracle.switched_on(lines, "N05", known, kept)
    assert tree.closure(every & kept) - {"root"} == every & kept


# Real records: counted once more with awk


@pytest.fixture(scope="module")
def real():
    home = DATA
    if not (home / "ohsumed").is_dir():
        pytest.skip(f"no OHSUMED records at {home}: set RIVER_HIER_DATA")
    return home / "ohsumed"


def by_depth(taxonomy):
    counts = collections.Counter(map(taxonomy.depth, taxonomy))
    return [counts[depth] for depth in range(taxonomy.height + 1)]


def test_the_papers_root(real):
    stream = datasets.OHSUMED(real)
    assert stream.taxonomy.root == "Quality of Health Care"
    assert by_depth(stream.taxonomy) == [1, 4, 22, 54, 51, 34, 9, 1]
    assert len(list(stream)) == 76
    dag = datasets.OHSUMED(real, tree=False)
    assert len(dag.taxonomy) == 192
    assert sum(len(on(y)) for _, y in dag) == 268


def test_diseases(real):
    stream = datasets.OHSUMED(real, root="C")
    dag = datasets.OHSUMED(real, root="C", tree=False)
    assert by_depth(stream.taxonomy) == [1, 26, 141, 530, 532, 263, 121, 34, 6]
    assert (len(dag.taxonomy), len(dag.taxonomy.leaves)) == (4_664, 2_941)
    n = labels = all_labels = without = 0
    for (x, y), (again, more) in zip(stream, dag, strict=True):
        assert x == again
        assert on(y) == on(more) & on(dict.fromkeys(stream.taxonomy.nodes, True))
        n += 1
        labels += len(on(y))
        all_labels += len(on(more))
        without += not x["body"]
    assert (n, labels, all_labels, without) == (582, 6_302, 7_647, 9)
    assert stream.unknown_headings == dag.unknown_headings
    assert len(stream.unknown_headings) == 201
    assert stream.unknown_headings["Human"] == 565


def test_a_taxonomy_for_each_category(real):
    for letter in "NZ":
        t = datasets.OHSUMED(real, root=letter).taxonomy
        assert t.is_tree
        assert t.root == letter
