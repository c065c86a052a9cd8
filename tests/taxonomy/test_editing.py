"""Taxonomies made of others: larger ones, and open ones."""

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import OpenTaxonomy, Taxonomy
from support.strategies import LABELS, taxonomies

T = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})


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
    assert after._arrays.extends(t._arrays)
    assert after.nodes[: len(t)] == t.nodes
    assert set(after.edges) == set(whole.edges)
    assert all(after.index(p) < after.index(v) for v in after for p in after.parents(v))
    assert t.extend([*edges, *edges, *t.edges]) == t.extend(iter(edges)) == t.extend(edges)
    assert t.extend([]) == t


def test_a_node_may_get_one_more_parent() -> None:
    assert T.extend([("bird", "whale")]).parents("whale") == ("mammal", "bird")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda: T.extend([("wolf", "mammal")]), ValueError, "cycle: 'mammal' -> 'wolf'"),
        (lambda: T.extend([("x", "y")]), ValueError, "'x' is a second root beside 'animal'"),
        (lambda: T.extend([("x", "animal")]), ValueError, "`root` is 'animal', but 'x'"),
        (lambda: T.extend([("owl", "x"), "pair"]), ValueError, "edge 1 is 'pair'"),
        (lambda: T.extend([("owl", None)]), ValueError, "None cannot be a label"),
        (lambda: T.extend("ab"), TypeError, "`edges` must be an iterable"),
    ],
)
def test_what_is_wrong_is_said(change: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        change()


def test_open_taxonomies_are_values() -> None:
    there = OpenTaxonomy(separator="/")
    assert there == OpenTaxonomy("/") != OpenTaxonomy()
    assert copy.deepcopy(there) == pickle.loads(pickle.dumps(there)) == there
    assert repr(there) == "OpenTaxonomy(separator='/', max_depth=64)"


@pytest.mark.parametrize("max_depth", [0, -1, 2.0, None, True])
def test_depths_are_positive_integers(max_depth: Any) -> None:
    with pytest.raises(ValueError, match=f"`max_depth` must be .*, got {max_depth}"):
        OpenTaxonomy("/", max_depth)


def test_paths() -> None:
    assert OpenTaxonomy("/").path("a/b/c") == ["", "a", "a/b", "a/b/c"]
    assert OpenTaxonomy(" > ").path("a > b") == ["", "a", "a > b"]
    assert OpenTaxonomy().path(("a", 2)) == [(), ("a",), ("a", 2)]
    assert OpenTaxonomy("/").path(["a ", "b", None]) == OpenTaxonomy("/").path(("a", "b"))
    assert OpenTaxonomy("/").path(("a", "b")) == ["", "a", "a/b"]
    assert OpenTaxonomy().path(["a", "b"]) == [(), ("a",), ("a", "b")]
    assert OpenTaxonomy().path(()) == [()]
    assert OpenTaxonomy("/").path(()) == [""]
    assert OpenTaxonomy(" > ").path("a >b > ") == OpenTaxonomy(" > ").path("> a > b")


@pytest.mark.parametrize(
    ("separator", "label", "error", "message"),
    [
        ("/", "a//b", ValueError, "'a//b' has no name at level 2 of 3"),
        ("/", "/", ValueError, "label '/' holds no name; the label of the root is ''"),
        ("/", 7, TypeError, "7 is not a tuple or list of names, or a string such as 'a/b'"),
        ("/", {"a", "b"}, TypeError, "is not a tuple or list of names, or a string"),
        ("/", ("a", "b/c"), ValueError, r"'b/c' in \('a', 'b/c'\) is not a name without '/'"),
        (" > ", ("a", "b>c"), ValueError, r"'b>c' in .* is not a name without '>'"),
        ("/", ["a", 7], ValueError, r"7 in \['a', 7\] is not a name without '/'"),
        ("/", ("a", None, "b"), ValueError, "has no name at level 2 of 3"),
        ("/", ("",), ValueError, r"label \(\'',\) holds no name"),
        ("/", None, TypeError, "label None is a missing value; leave out"),
        ("/", float("nan"), TypeError, "label nan is a missing value"),
        (None, "a/b", TypeError, "'a/b' is not a tuple or list of names; `separator` is for paths"),
        (None, ("a", None, "b"), ValueError, "has no name at level 2 of 3"),
        (None, ("a", []), TypeError, "not hashable"),
    ],
)
def test_what_is_no_path(separator: Any, label: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        OpenTaxonomy(separator).path(label)


@pytest.mark.parametrize(
    ("separator", "error"), [("", ValueError), (7, TypeError), ("shop", ValueError)]
)
def test_a_separator_is_a_string_but_no_word(separator: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="`separator` must"):
        OpenTaxonomy(separator)
