"""Taxonomies made of others: extend, rename, move, merge; open ones; who succeeds whom."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import OpenTaxonomy, Taxonomy
from river_hier.taxonomy import UnknownLabelError, map_nodes
from support.strategies import LABELS, taxonomies, trees

T = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d")])


@given(taxonomies(), st.data())
def test_extending_is_building_with_all_edges(t: Taxonomy, data: Any) -> None:
    """Except for the order of the nodes: new ones are the last, below old and new ones alike."""
    new = [label for label in LABELS if label not in t]
    edges = []
    for label in data.draw(st.lists(st.sampled_from(new), unique=True) if new else st.just([])):
        above = data.draw(st.sampled_from([*t.nodes, *(child for _, child in edges)]))
        edges.append((above, label))
        others = data.draw(st.lists(st.sampled_from(t.nodes), unique=True, max_size=2))
        edges += [(other, label) for other in others]
    after, whole = t.extend(data.draw(st.permutations(edges))), Taxonomy([*t.edges, *edges])
    assert after._extends(t)
    assert after.nodes[: len(t)] == t.nodes
    assert set(after.edges) == set(whole.edges)
    assert all(after.index(p) < after.index(v) for v in after for p in after.parents(v))
    assert t.extend([*edges, *edges, *t.edges]) == t.extend(iter(edges)) == t.extend(edges)
    assert t.extend([]) == t


@given(trees(min_nodes=3), st.data())
def test_extending_and_moving_back_and_forth(t: Taxonomy, data: Any) -> None:
    label = data.draw(st.sampled_from(t.nodes[1:]))
    below = t.subtree(label)
    parent = data.draw(st.sampled_from([v for v in t.nodes if v not in below]))
    moved = t.move(label, parent)
    assert moved.parent(label) == parent
    assert moved.children(parent)[-1] == label
    assert set(moved.subtree(label)) == set(below)
    back = moved.move(label, t.parent(label))  # type: ignore[arg-type]
    assert {v: back.parents(v) for v in back} == {v: t.parents(v) for v in t}


@given(taxonomies(), st.data())
def test_renaming_changes_names_only(t: Taxonomy, data: Any) -> None:
    label, other = data.draw(st.permutations(t.nodes))[:2]
    swapped = t.rename({label: other, other: label})
    assert swapped._parent_indices == t._parent_indices
    assert swapped.index(label) == t.index(other)
    assert swapped.rename({label: other, other: label}) == t


def test_merging_gives_the_children_to_the_one_that_is_left() -> None:
    assert T.merge(["bird"], "mammal").edges == (
        ("animal", "mammal"),
        ("mammal", "wolf"),
        ("mammal", "whale"),
        ("mammal", "owl"),
    )
    assert T.merge(["wolf", "whale", "mammal"], "mammal").leaves == ("mammal", "owl")
    assert T.merge(["bird", "mammal"], "animal") == Taxonomy.flat(
        ["wolf", "whale", "owl"], "animal"
    )
    assert DAG.merge(["b"], "a").edges == (("r", "a"), ("a", "c"), ("c", "d"))
    assert DAG.merge(["c"], "a").edges == (("r", "a"), ("r", "b"), ("a", "d"))
    assert T.merge([], "owl") == T


def test_a_node_may_get_one_more_parent() -> None:
    assert T.extend([("bird", "whale")]).parents("whale") == ("mammal", "bird")
    assert DAG.move("c", "b").parents("c") == ("b",)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda: T.extend([("wolf", "mammal")]), ValueError, "cycle: 'mammal' -> 'wolf'"),
        (lambda: T.extend([("x", "y")]), ValueError, "'x' is a second root beside 'animal'"),
        (lambda: T.extend([("x", "animal")]), ValueError, "`root` is 'animal', but 'x'"),
        (lambda: T.extend([("owl", "x"), "pair"]), ValueError, "edge 1 is 'pair'"),
        (lambda: T.extend([("owl", None)]), ValueError, "None cannot be a label"),
        (lambda: T.extend("ab"), TypeError, "`edges` must be an iterable"),
        (lambda: T.rename({"wolff": "x"}), UnknownLabelError, "did you mean 'wolf'"),
        (lambda: T.rename({"wolf": "owl"}), ValueError, "would both be 'owl'.*`merge`"),
        (lambda: T.rename({"wolf": []}), TypeError, "not hashable"),
        (lambda: T.rename([("wolf", "x")]), TypeError, "`names` must be"),  # type: ignore[arg-type]
        (lambda: T.move("animal", "owl"), ValueError, "the root, 'animal', cannot be moved"),
        (lambda: T.move("mammal", "wolf"), ValueError, "under 'wolf', which is in its subtree"),
        (lambda: T.move("mammal", "wolff"), UnknownLabelError, "did you mean 'wolf'"),
        (lambda: T.merge(["mammal"], "wolf"), ValueError, "'mammal' is above 'wolf'"),
        (lambda: T.merge("wolf", "owl"), TypeError, "`labels` must be a collection"),
        (lambda: T.merge(["x"], "owl"), UnknownLabelError, "'x' is not in the taxonomy"),
    ],
)
def test_what_is_wrong_is_said(change: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        change()


def test_who_succeeds_whom() -> None:
    after = T.extend([("bird", "hen")]).rename({"animal": "all", "wolf": "dog"})
    found = map_nodes(T, after, {"wolf": "dog", "owl": "hen"})
    named = {
        label: [T.nodes[u] for u in old] for label, old in zip(after, found.sources, strict=True)
    }
    assert named == {
        "all": ["animal"],
        "mammal": ["mammal"],
        "bird": ["bird"],
        "dog": ["wolf"],
        "whale": ["whale"],
        "owl": [],
        "hen": ["owl"],
    }
    merged = map_nodes(T, T.merge(["wolf", "owl"], "whale"), {"wolf": "whale", "owl": "whale"})
    assert merged.sources == ((0,), (1,), (2,), (3, 4, 5))
    forgotten = map_nodes(T, T.subset(["bird", "owl"]), dict.fromkeys(T.subtree("mammal")))
    assert forgotten.sources == ((0,), (2,), (5,))


@pytest.mark.parametrize(
    ("after", "renamed", "error", "message"),
    [
        (T.subset(["owl"]), None, ValueError, "'mammal' is not in the new .*'mammal': None}"),
        (T, {"wolff": "owl"}, UnknownLabelError, "did you mean 'wolf'"),
        (T, {"wolf": "x"}, UnknownLabelError, "'x' is not in the taxonomy"),
        (T, {"wolf": []}, TypeError, "not hashable"),
        (T, ["wolf"], TypeError, "`renamed` must be {old label: new label}"),
        (Taxonomy([("x", "animal")]), dict.fromkeys(T), ValueError, "the root 'animal' must stay"),
        (T.rename({"animal": "owl", "owl": "x"}), None, ValueError, "'owl' would be the root"),
        ({"animal": None}, None, TypeError, "`taxonomy` must be a Taxonomy"),
        (None, None, TypeError, "`taxonomy` must be a Taxonomy"),
    ],
)
def test_no_node_is_lost_in_silence(
    after: Any, renamed: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        map_nodes(T, after, renamed)


def test_open_taxonomies_are_values() -> None:
    there = OpenTaxonomy(separator="/")
    assert there == OpenTaxonomy("/") != OpenTaxonomy()
    assert copy.deepcopy(there) == pickle.loads(pickle.dumps(there)) == there
    assert repr(there) == "OpenTaxonomy(separator='/')"


def test_paths() -> None:
    assert OpenTaxonomy("/").path("a/b/c") == ["", "a", "a/b", "a/b/c"]
    assert OpenTaxonomy(" > ").path("a > b") == ["", "a", "a > b"]
    assert OpenTaxonomy().path(("a", 2)) == [(), ("a",), ("a", 2)]
    assert OpenTaxonomy().path(()) == [()]
    assert OpenTaxonomy(" > ").path("a >b > ") == OpenTaxonomy(" > ").path("> a > b")


@pytest.mark.parametrize(
    ("separator", "label", "error", "message"),
    [
        ("/", "a//b", ValueError, "'a//b' has no name at level 2 of 3"),
        ("/", "/", ValueError, "label '/' holds no name; the label of the root is ''"),
        ("/", 7, TypeError, "label 7 is not a path such as 'a/b'"),
        ("/", ("a", "b"), TypeError, r"label \('a', 'b'\) is not a path such as 'a/b'"),
        ("/", None, TypeError, "label None is a missing value; leave out"),
        ("/", float("nan"), TypeError, "label nan is a missing value"),
        (None, "a/b", TypeError, r"label 'a/b' is not a path such as \('a', 'b'\)"),
        (None, ("a", None, "b"), ValueError, "has no name at level 2 of 3"),
        (None, ("a", []), TypeError, "not hashable"),
    ],
)
def test_what_is_no_path(separator: Any, label: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        OpenTaxonomy(separator).path(label)


@pytest.mark.parametrize(("separator", "error"), [("", ValueError), (7, TypeError)])
def test_a_separator_is_a_string(separator: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="`separator` must"):
        OpenTaxonomy(separator)
