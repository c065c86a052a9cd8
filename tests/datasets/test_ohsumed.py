"""OHSUMED from small corpora in the publishers' formats, and from real records."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import mesh as oracle
from river_hier import datasets
from river_hier.datasets import ohsumed
from support.corpora import by_depth, never_skipped, on, real_data
from support.ohsumed_corpus import TREE, XS, YS, data, write_folder, write_tar_gz

NODES = ["Bronchial Diseases", "Lung Diseases", "Asthma", "Wheezing; Stridor"]
NODES += ["Cystic Fibrosis", "Pneumonia", "Pneumonia, Bacterial"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "corpus").mkdir()
    return write_folder(tmp_path / "corpus")


def test_a_file_of_records_and_a_tree_elsewhere(folder):
    mesh = (folder / "mtrees2015.bin").rename(folder.parent / "mtrees2015.bin")
    stream = datasets.OHSUMED(folder / "ohsumed.87", root="C08", mesh=mesh)
    assert [(x, on(y)) for x, y in stream] == list(zip(XS, YS, strict=True))


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


def test_unknown_headings_are_counted_anew_each_time(folder):
    stream = datasets.OHSUMED(folder, root="C08")
    assert stream.unknown_headings == {}
    for _ in range(2):
        list(stream)
        assert stream.unknown_headings == {"Human": 3, "Support, U.S. Gov't, P.H.S.": 1}
    assert stream.n_skipped == 0


def test_headings():
    assert ohsumed.headings("A/*CO; B, C/IM/*DI; *D; A; Support, P.H.S..") == [
        "A", "B, C", "D", "Support, P.H.S."
    ]  # fmt: skip
    assert ohsumed.headings("") == ohsumed.headings(" ; /DI.") == []


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
    dag = ohsumed.fragment(found, "tree", "N05")
    tree = ohsumed.unique_paths(dag)
    kept = oracle.kept(lines, "N05")
    assert tree._arrays.is_tree
    assert set(tree.nodes[1:]) == kept
    known = {heading for heading in headings if heading in dag}
    every = oracle.switched_on(lines, "N05", known, set(dag.nodes[1:]))
    assert dag.closure(known) - {"root"} == every
    assert every & kept == oracle.switched_on(lines, "N05", known, kept)
    assert tree.closure(every & kept) - {"root"} == every & kept


# Real records: counted once more with awk


@pytest.fixture(scope="module")
def real():
    return real_data("ohsumed")


def test_the_papers_root(real):
    stream = datasets.OHSUMED(real)
    assert stream.taxonomy.root == "Quality of Health Care"
    assert by_depth(stream.taxonomy) == [1, 4, 22, 54, 51, 34, 9, 1]
    assert len(list(stream)) == 76
    dag = datasets.OHSUMED(real, tree=False)
    assert len(dag.taxonomy) == 192
    assert sum(len(on(y)) for _, y in dag) == 268


TAGS = ".U .S .M .T .P .W .A"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([".M"], "line 1: expected `.I number`, got '.M'"),
        (["<DOC>"], "line 1: expected `.I number`, got '<DOC>'"),
        ([""], "line 1: expected `.I number`, got ''"),
        ([".I"], "line 1: expected `.I number`, got '.I'"),
        ([".I one"], "line 1: expected `.I number`, got '.I one'"),
        ([".I 1", "Asthma."], f"line 2: expected one of {TAGS}, got 'Asthma.'"),
        ([".I 1", ".X", "?"], f"line 2: expected one of {TAGS}, got '.X'"),
        ([".I 1", ".M", "Asthma.", ".T", ".M"], "line 5: .M comes twice in a record"),
    ],
)
def test_broken_records(folder, lines, message):
    (folder / "ohsumed.87").write_bytes(data(lines))
    with pytest.raises(ValueError, match=f"^{re.escape(f'ohsumed.87, {message}')}$"):
        list(datasets.OHSUMED(folder, root="C08"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["Asthma"], "line 1: expected `heading;tree.number`, got 'Asthma'"),
        ([*TREE, ";C08.1"], "line 18: expected `heading;tree.number`, got ';C08.1'"),
        ([*TREE, "Cough;C08."], "line 18: expected `heading;tree.number`, got 'Cough;C08.'"),
        ([*TREE, "Cough;8"], "line 18: expected `heading;tree.number`, got 'Cough;8'"),
        ([*TREE, "Cough;C08.127"], "line 18: tree number 'C08.127' comes twice"),
    ],
)
def test_broken_trees(folder, lines, message):
    (folder / "mtrees2015.bin").write_bytes(data(lines))
    never_skipped(
        lambda e: datasets.OHSUMED(folder, "C08", on_error=e), f"mtrees2015.bin, {message}"
    )


CYCLE = "mtrees2015.bin: the edges hold a cycle: 'Respiratory Tract Diseases'"


@pytest.mark.parametrize(
    ("root", "extra", "message"),
    [
        ("N05.715", [], "mtrees2015.bin has no tree number 'N05.715' to use as the root"),
        ("Z", [], "mtrees2015.bin has nothing below 'Z'"),
        ("C08.127.108", [], "mtrees2015.bin has nothing below 'C08.127.108'"),
        ("C", ["Cough;C08.9.1"], "mtrees2015.bin: tree number 'C08.9.1' comes without 'C08.9'"),
        ("C08", ["Respiratory Tract Diseases;C08.381.001"], f"{CYCLE} -> 'Lung Diseases' -> 'Resp"),
    ],
)
def test_trees_that_cannot_be(folder, root, extra, message):
    (folder / "mtrees2015.bin").write_bytes(data([*TREE, *extra]))
    never_skipped(lambda e: datasets.OHSUMED(folder, root, on_error=e), message)


@pytest.mark.parametrize("root", ["", "c", "C8.", "N05.715.", "Diseases", "CC", "٣", 5, None, "C "])
def test_wrong_roots(root):
    expected = "^`root` must be a tree number, such as 'N05.715', or a category, such as 'C', got "
    with pytest.raises(ValueError, match=expected):
        datasets.OHSUMED(root=root)


def test_missing_files(folder):
    (folder / "ohsumed.87").rename(folder / "ohsumed.txt")
    with pytest.raises(FileNotFoundError, match=r"corpus' lacks ohsumed.\[0-9\]\*; call"):
        list(datasets.OHSUMED(folder, root="C08"))
    with pytest.raises(FileNotFoundError, match=r"ohsumed.txt' lacks mtrees\*.bin; call"):
        list(datasets.OHSUMED(folder / "ohsumed.txt", root="C08"))
    (folder / "mtrees2016.bin").write_bytes(data(TREE))
    with pytest.raises(ValueError, match=r"holds 2 files like 'mtrees\*.bin', expected one"):
        list(datasets.OHSUMED(folder))


def test_is_downloaded(tmp_path):
    stream, found = datasets.OHSUMED(tmp_path), []
    for name in ("mtrees2015.bin", "t9.filtering.tar"):  # whoever unpacks may delete the archive
        found.append(stream.is_downloaded)
        (tmp_path / name).touch()
    assert [*found, stream.is_downloaded] == [False, False, True]
    licensed = datasets.HMC(tmp_path / "none", "Enron_corr")  # nothing of which is downloaded
    assert not licensed.is_downloaded
