"""LSHTC from small files in the organisers' formats, beside slower readers."""

from __future__ import annotations

import itertools
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, datasets
from support.corpora import never_skipped, on, refused
from support.strategies import taxonomies

EDGES = ["1 3", "1 4", "2 5", "4 5", "3 6"]
TEXTS = ["4, 5 8:1 18:2", "5 7:1.5", "4,3 8:2 9:1"]


def write(folder, hierarchy=EDGES, texts=TEXTS):
    folder.mkdir(exist_ok=True)
    (folder / "hierarchy.txt").write_text("".join(f"{line}\n" for line in hierarchy))
    (folder / "train.txt").write_text("".join(f"{line}\n" for line in texts))
    return folder


def test_examples(tmp_path):
    stream = datasets.LSHTC(write(tmp_path))
    assert stream.taxonomy == Taxonomy([tuple(edge.split()) for edge in EDGES])
    xs, ys = zip(*stream, strict=True)
    assert xs == ({"8": 1.0, "18": 2.0}, {"7": 1.5}, {"8": 2.0, "9": 1.0})
    assert [on(y) for y in ys] == [{"1", "2", "4", "5"}, {"1", "2", "4", "5"}, {"1", "3", "4"}]


def test_the_forms_of_texts(tmp_path):
    plain = list(datasets.LSHTC(write(tmp_path)))
    spaced = ["Data", "4,5  8:1 18:2 ", "5 7:15e-1", "4,  3 8:2.0 9:1"]
    assert list(datasets.LSHTC(write(tmp_path, texts=spaced))) == plain
    assert list(datasets.LSHTC(write(tmp_path, texts=[f"{t}\r" for t in TEXTS]))) == plain
    assert [(x, on(y)) for x, y in datasets.LSHTC(write(tmp_path, texts=["3"]))] == [
        ({}, {"1", "3"})
    ]
    # A category that is a root of the file's, and one given twice.
    ((_, y),) = datasets.LSHTC(write(tmp_path, texts=["2,2 1:1"]))
    assert on(y) == {"2"}


def test_the_forms_of_hierarchies(tmp_path):
    paths = datasets.LSHTC(write(tmp_path, ["1 2 3", "1 2 4", "", "5 6", "7"], ["3 1:1", "7 1:1"]))
    assert paths.taxonomy.root == "root"
    assert set(paths.taxonomy.edges) == {
        ("root", "1"), ("1", "2"), ("2", "3"), ("2", "4"), ("root", "5"), ("5", "6"), ("root", "7")
    }  # fmt: skip
    assert [on(y) for _, y in paths] == [{"1", "2", "3"}, {"7"}]
    tree = datasets.LSHTC(write(tmp_path, ["0 1", "0 2", "1 3"], ["3 1:1", "0 1:1"]))
    assert tree.taxonomy.root == "0"
    assert [on(y) for _, y in tree] == [{"1", "3"}, set()]
    again = datasets.LSHTC(write(tmp_path, ["0 1", "0 2", "1 3", "0 1"], []))
    assert again.taxonomy == tree.taxonomy


def test_names_of_files(tmp_path):
    write(tmp_path)
    (tmp_path / "hierarchy.txt").rename(tmp_path / "cat_hier.txt")
    for task in (1, 2):
        folder = tmp_path / f"Task{task}_Train:CrawlData_Test:CrawlData"
        folder.mkdir()
        (folder / "train.txt").write_text(f"{task + 2} 1:1\n")
    for task in (1, 2):
        ((_, y),) = datasets.LSHTC(tmp_path, documents=f"Task{task}*/train")
        assert on(y) == {"1", str(task + 2)}
    with pytest.raises(ValueError, match=r"holds 3 files like 'train.txt', expected one: Task1"):
        list(datasets.LSHTC(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"lacks test.txt or test.csv; get train.txt and"):
        list(datasets.LSHTC(tmp_path, documents="test"))
    for wrong in ("", None, 3):
        with pytest.raises(ValueError, match=r"^`documents` must be the name of a file, got"):
            datasets.LSHTC(documents=wrong)


def test_the_taxonomy_needs_the_hierarchy_alone(tmp_path):
    (write(tmp_path) / "train.txt").unlink()
    assert len(datasets.LSHTC(tmp_path).taxonomy) == 7


# --- Slower readers ------------------------------------------------------------------------------


@given(t=taxonomies(), data=st.data())
def test_beside_one_that_climbs(tmp_path_factory, t, data):
    number = {label: str(v) for v, label in enumerate(t)}
    edges = data.draw(st.permutations([(number[p], number[c]) for p, c in t.edges]))
    labels = st.lists(st.sampled_from(sorted(number.values())), min_size=1, max_size=4)
    features = st.dictionaries(st.integers(0, 99), st.integers(-9, 9), max_size=4)
    texts = data.draw(st.lists(st.tuples(labels, features), max_size=5))
    folder = write(
        tmp_path_factory.getbasetemp() / "lshtc",
        [f"{parent} {child}" for parent, child in edges] or ["0"],
        [", ".join(ls) + "".join(f" {f}:{v}" for f, v in x.items()) for ls, x in texts] or ["0"],
    )
    expected = []
    for ls, x in texts:
        found = set(ls)
        while more := {p for p, c in edges if c in found} - found:
            found |= more
        expected.append(({str(f): float(v) for f, v in x.items()}, found - {"0"}))
    stream = datasets.LSHTC(folder)
    assert set(stream.taxonomy.edges) == set(edges)
    if texts:
        assert [(x, on(y)) for x, y in stream] == expected


# --- Cycles --------------------------------------------------------------------------------------

LOOP = ["1 2", "2 3", "3 1", "0 1", "3 4", "4 4", "3 1"]  # the last edge a second time


def test_cycles_are_named(tmp_path):
    with pytest.raises(ValueError, match="cycle") as error:
        _ = datasets.LSHTC(write(tmp_path, LOOP)).taxonomy
    message = "hierarchy.txt, line 3: 3 -> 1 closes the cycle 1 -> 2 -> 3 -> 1"
    assert str(error.value) == message

    stream = datasets.LSHTC(write(tmp_path, LOOP, ["4 1:1", "9 1:1"]), on_error="skip")
    assert set(stream.taxonomy.edges) == {("0", "1"), ("1", "2"), ("2", "3"), ("3", "4")}
    for _ in range(2):
        assert len(list(stream)) == 1
        assert stream.n_skipped == 3
        assert stream.skipped == (
            message,
            "hierarchy.txt, line 6: 4 -> 4 closes the cycle 4 -> 4",
            "train.txt, line 2: label '9' is not in the taxonomy (5 nodes); a model with an "
            "`OpenTaxonomy` learns new labels",
        )


def test_nothing_but_a_cycle(tmp_path):
    stream = datasets.LSHTC(write(tmp_path, ["5 6", "6 7", "7 5"]), on_error="skip")
    assert stream.taxonomy.edges == (("5", "6"), ("6", "7"))
    long = [f"{i} {(i + 1) % 5000}" for i in range(5_000)]  # no recursion
    with pytest.raises(ValueError, match=r"cycle 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> \.\.\. -> 4995 -> "):
        _ = datasets.LSHTC(write(tmp_path, long)).taxonomy


def reaches(edges, start):
    found = {start}
    while more := {c for p, c in edges if p in found} - found:
        found |= more
    return found


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=20))
def test_no_edge_is_left_out_without_need(tmp_path_factory, edges):
    folder = write(tmp_path_factory.getbasetemp() / "lshtc", [f"{p} {c}" for p, c in edges])
    stream = datasets.LSHTC(folder, on_error="skip")
    edges = {(str(p), str(c)) for p, c in edges}
    kept = {edge for edge in stream.taxonomy.edges if edge[0] != "root"}
    assert kept <= edges
    assert set(itertools.chain(*edges)) == set(stream.taxonomy) - {"root"}
    for parent, child in edges - kept:
        assert parent in reaches(kept, child)  # it would close a cycle


# --- What is broken ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected numbers of categories between commas, got ''"),
        ("Data", "expected numbers of categories between commas, got 'Data'"),
        (" 8:1", "expected numbers of categories between commas, got ''"),
        ("8:1", "expected numbers of categories between commas, got ''"),
        ("4 5 8:1", "expected numbers of categories between commas, got '4 5'"),
        ("4,,5 8:1", "expected numbers of categories between commas, got ''"),
        ("-4 8:1", "expected numbers of categories between commas, got '-4'"),
        ("<p>", "expected numbers of categories between commas, got '<p>'"),
        ("4 8:", "expected `feature:value`, got '8:'"),
        ("4 8:1 9", "expected `feature:value`, got '9'"),
        ("4 8:1:2 9", "expected `feature:value`, got '8:1:2'"),
        ("4 8:1 9 3", "expected `feature:value`, got '9'"),
        ("4 8:O", "expected `feature:value`, got '8:O'"),
        ("4 w8:1", "expected the number of a feature, got 'w8'"),
        ("4 :1", "expected the number of a feature, got ''"),
        ("4 8:nan", "feature '8' is nan"),
        ("4 8:inf 9:-inf", "feature '8' is inf"),
        ("4 8:1e308 9:1e308", "the values are too large to add up"),
        ("4 8:1 8:1", "feature '8' comes twice"),
        ("0 8:1", "label '0' is not in the taxonomy (7 nodes)"),
        ("4, 55 8:1", "label '55' is not in the taxonomy (7 nodes); did you mean '5'?"),
    ],
)
def test_broken_texts(tmp_path, text, message):
    folder = write(tmp_path, texts=[TEXTS[0], text, *TEXTS[1:]])
    left = refused(partial(datasets.LSHTC, folder, "train"), f"train.txt, line 2: {message}")
    assert left == list(datasets.LSHTC(write(tmp_path)))


@pytest.mark.parametrize("line", ["1 x", "1,3", "root", "1 -3"])
def test_broken_hierarchies(tmp_path, line):
    expected = "expected numbers of categories from the top downwards, got"
    read = partial(datasets.LSHTC, write(tmp_path, ["1 2", line]), "train")
    never_skipped(read, f"hierarchy.txt, line 2: {expected} {line!r}")
