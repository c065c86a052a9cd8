"""The taxonomy against naive dicts, its laws and its error messages."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import networkx as nx
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dags, multilabels, parents_of, taxonomies, trees

from river_hier import Taxonomy
from river_hier.taxonomy import UnknownLabelError

ANIMALS = Taxonomy(
    [
        ("animal", "mammal"),
        ("animal", "bird"),
        ("mammal", "wolf"),
        ("mammal", "whale"),
        ("bird", "owl"),
    ]
)
DIAMOND = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d")])


@given(taxonomy=taxonomies())
def test_navigation(taxonomy: Taxonomy) -> None:
    parents = parents_of(taxonomy)
    seen: set[Any] = set()
    for label in taxonomy:
        assert seen.issuperset(taxonomy.parents(label)), "topological order"
        seen.add(label)
        assert set(taxonomy.ancestors(label)) == oracles.ancestors(parents, label)
        assert list(taxonomy.children(label)) == oracles.children(parents, label)
        assert taxonomy.depth(label) == oracles.depth(parents, label)
        below = {v for v in taxonomy if label in taxonomy.ancestors(v)}
        assert set(taxonomy.descendants(label)) == below
        assert set(taxonomy.subtree(label)) == {label} | below
        assert taxonomy.nodes[taxonomy.index(label)] == label
        assert label in taxonomy
    assert taxonomy.nodes[0] == taxonomy.root == oracles.root(parents)
    assert taxonomy.height == max(map(taxonomy.depth, taxonomy))
    assert set(taxonomy.leaves) == {v for v in taxonomy if not taxonomy.children(v)}
    assert set(taxonomy.inner) == set(taxonomy) - set(taxonomy.leaves)
    assert taxonomy.is_tree == all(len(taxonomy.parents(v)) < 2 for v in taxonomy)
    depths = [taxonomy.depth(v) for v in taxonomy]
    assert depths == sorted(depths), "level by level"


@given(taxonomy=trees())
def test_trees(taxonomy: Taxonomy) -> None:
    parents = parents_of(taxonomy)
    for u in taxonomy:
        assert list(taxonomy.path(u)) == oracles.path(parents, u)
        assert taxonomy.parent(u) == (parents[u][0] if parents[u] else None)
        for v in taxonomy:
            assert taxonomy.distance(u, v) == oracles.distance(parents, u, v)
            assert taxonomy.lca(u, v) == oracles.lca(parents, u, v)


@given(taxonomy=trees(), data=st.data())
def test_distance_is_a_metric(taxonomy: Taxonomy, data: st.DataObject) -> None:
    u, v, w = (data.draw(st.sampled_from(taxonomy.nodes)) for _ in range(3))
    distance = taxonomy.distance
    assert distance(u, v) == distance(v, u)
    assert (distance(u, v) == 0) == (u == v)
    assert distance(u, w) <= distance(u, v) + distance(v, w)


@given(taxonomy=taxonomies(), data=st.data())
def test_multilabels(taxonomy: Taxonomy, data: st.DataObject) -> None:
    parents = parents_of(taxonomy)
    y = data.draw(multilabels(taxonomy))
    closed = taxonomy.closure(y)
    assert closed == oracles.closure(parents, y)
    assert taxonomy.closure(closed) == closed, "idempotent"
    mask = taxonomy.multilabel({label: label in closed for label in taxonomy.nodes[1:]})
    assert [label for label, on in zip(taxonomy, mask, strict=True) if on] == sorted(
        closed, key=taxonomy.index
    )
    assert (taxonomy.multilabel(y) == mask).all()
    assert (taxonomy.multilabel(iter(y)) == mask).all()
    truncated = taxonomy.truncate(y)
    assert truncated == oracles.truncate(parents, y)
    assert taxonomy.closure(truncated) == truncated, "respects the taxonomy"
    assert truncated <= {taxonomy.root, *y}


@given(taxonomy=taxonomies())
def test_doors_in_and_out(taxonomy: Taxonomy) -> None:
    assert Taxonomy(taxonomy.edges) == taxonomy
    assert hash(Taxonomy(taxonomy.edges)) == hash(taxonomy)
    assert Taxonomy.from_networkx(taxonomy.to_networkx()) == taxonomy
    assert pickle.loads(pickle.dumps(taxonomy)) == taxonomy
    assert copy.deepcopy(taxonomy) is taxonomy
    assert copy.copy(taxonomy) is taxonomy
    assert repr(pickle.loads(pickle.dumps(taxonomy))) == repr(taxonomy)


@given(taxonomy=trees())
def test_doors_of_trees(taxonomy: Taxonomy) -> None:
    assert Taxonomy.from_parents({v: taxonomy.parent(v) for v in taxonomy}) == taxonomy
    assert Taxonomy.from_paths([taxonomy.path(v) for v in taxonomy]) == taxonomy

    def nested(label: Any) -> dict[Any, Any]:
        return {child: nested(child) for child in taxonomy.children(label)}

    again = Taxonomy.from_nested({taxonomy.root: nested(taxonomy.root)})
    assert dict(parents_of(again)) == dict(parents_of(taxonomy))


def test_from_nested_takes_lists_strings_and_none() -> None:
    t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": "owl", "fish": None}})
    assert t.nodes == ("animal", "mammal", "bird", "fish", "wolf", "whale", "owl")


def test_several_tops_are_joined() -> None:
    forest = [("a", "b"), ("c", "d")]
    assert Taxonomy(forest).nodes == ("root", "a", "c", "b", "d")
    assert Taxonomy(forest, root="all").children("all") == ("a", "c")
    assert Taxonomy([("a", "b")], root="a").root == "a"
    g = nx.DiGraph(forest)
    g.add_node("alone")
    assert Taxonomy.from_networkx(g).children("root") == ("a", "c", "alone")


def test_flat_flatten_subset() -> None:
    assert Taxonomy.flat("abc").nodes == ("root", "a", "b", "c")
    assert Taxonomy.flat([]).nodes == ("root",)
    assert repr(Taxonomy.flat([])) == "Taxonomy(root='root', 1 node, 1 leaf, height 0)"
    flat = ANIMALS.flatten()
    assert flat.nodes == ANIMALS.nodes
    assert set(flat.children("animal")) == set(ANIMALS.nodes[1:])
    assert ANIMALS.flatten().flatten() == flat
    kept = ANIMALS.subset(["wolf", "bird"])
    assert kept == Taxonomy([("animal", "bird"), ("animal", "wolf")])
    assert ANIMALS.subset(ANIMALS) == ANIMALS
    assert ANIMALS.subset([]).nodes == ("animal",)
    assert DIAMOND.subset(["a", "b", "d"]).parents("d") == ("a", "b")
    # d's way through c is replaced by one through b only; a is above b, so it is no parent
    t = Taxonomy([("r", "a"), ("a", "b"), ("b", "d"), ("a", "c"), ("c", "d")])
    assert t.subset(["a", "b", "d"]).parents("d") == ("b",)


@given(taxonomy=taxonomies(min_nodes=3), data=st.data())
def test_subset_keeps_who_is_above_whom(taxonomy: Taxonomy, data: st.DataObject) -> None:
    labels = data.draw(multilabels(taxonomy))
    kept = taxonomy.subset(labels)
    assert set(kept) == {taxonomy.root, *labels}
    for label in labels:
        assert set(kept.ancestors(label)) == set(taxonomy.ancestors(label)) & set(kept)


def test_it_is_immutable() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        ANIMALS.nodes = ()
    with pytest.raises(AttributeError, match="immutable"):
        del ANIMALS.nodes


def test_equality_is_by_value_and_order() -> None:
    assert Taxonomy([("r", "a"), ("r", "b")]) != Taxonomy([("r", "b"), ("r", "a")])
    assert Taxonomy([("r", "a")]) != "r"
    chain, star = Taxonomy([("r", "a"), ("a", "b")]), Taxonomy([("r", "a"), ("r", "b")])
    assert chain.nodes == star.nodes
    assert chain != star


@pytest.mark.parametrize(
    ("edges", "root", "error", "message"),
    [
        ([], None, ValueError, "`edges` is empty"),
        ([("a", "b"), ("b", "c"), ("c", "a")], None, ValueError, "'a' -> 'b' -> 'c' -> 'a'"),
        ([("r", "a"), ("a", "b"), ("b", "a")], None, ValueError, "cycle: 'a' -> 'b' -> 'a'"),
        ([("r", "a"), ("a", "a")], None, ValueError, "edge 1 makes node 'a' its own parent"),
        ([("r", None)], None, ValueError, "None cannot be a label"),
        ([(float("nan"), "a")], None, ValueError, "nan cannot be a label"),
        ([("r", ["a"])], None, TypeError, r"label \['a'\] is not hashable"),
        ([("r", 1), ("r", True)], None, ValueError, "labels 1 and True are equal in Python"),
        ([("r", "a", "b")], None, ValueError, r"must be a \(parent, child\) pair"),
        (["ra"], None, ValueError, "edge 0 is 'ra'"),
        ("ra", None, TypeError, "iterable of .* pairs, got str"),
        ({"a": "r"}, None, TypeError, "Taxonomy.from_parents"),
        ([("a", "b"), ("c", "d")], "a", ValueError, "'c' is a second root beside 'a'"),
        ([("a", "b")], "b", ValueError, "'a' is the only node without a parent"),
        ([("a", "b"), ("c", "d")], "b", ValueError, "joined under 'b', which has parent 'a'"),
        ([("a", "root"), ("c", "d")], None, ValueError, "choose another `root`"),
        ([("a", "b"), ("c", "d")], [1], TypeError, "not hashable"),
    ],
)
def test_bad_edges(edges: Any, root: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Taxonomy(edges, root=root)


def test_a_long_cycle_is_shown_in_part() -> None:
    with pytest.raises(ValueError, match=r"0 -> 1 -> .* -> \.\.\. -> .* -> 99 -> 0"):
        Taxonomy([(i, (i + 1) % 100) for i in range(100)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Taxonomy.from_parents([("a", "b")]), "must be {child: parent}, got list"),
        (lambda: Taxonomy.from_paths(["abc"]), "path 0 is 'abc'"),
        (lambda: Taxonomy.from_paths([3]), "path 0 is 3"),
        (lambda: Taxonomy.from_nested(["a"]), "must be a mapping of mappings, got list"),
        (lambda: Taxonomy.from_nested({"a": 3}), "below 'a' stands 3"),
        (lambda: ANIMALS.index(["wolf"]), "not hashable"),
    ],
)
def test_bad_doors(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("error", [UnknownLabelError, KeyError, ValueError])
def test_unknown_labels_come_with_a_suggestion(error: type[Exception]) -> None:
    message = r"^label 'wolff' is not in the taxonomy \(6 nodes\); did you mean 'wolf'\?$"
    with pytest.raises(error, match=message):
        ANIMALS.depth("wolff")


def test_unknown_labels_survive_pickling() -> None:
    with pytest.raises(UnknownLabelError) as caught:
        ANIMALS.index(("x", 1))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ({"wolf": True, "mammal": False}, "'wolf' is on but its ancestor 'mammal' is False"),
        ({"wolf": "yes"}, "label 'wolf' is 'yes': it must be True or False"),
        ({"wolf": float("nan")}, "label 'wolf' is nan"),
        ({"wolf": None}, "label 'wolf' is None"),
        ({"unicorn": False}, "label 'unicorn' is not in the taxonomy"),
        ("unicorn", "label 'unicorn' is not in the taxonomy"),
        (["wolf", "unicorn"], "label 'unicorn' is not in the taxonomy"),
        (None, "y is None"),
        (7, "label 7 is not in the taxonomy"),
    ],
)
def test_bad_multilabels(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ANIMALS.multilabel(y)


def test_tree_only_calls_name_the_node_with_two_parents() -> None:
    message = r"node 'c' has 2 parents \('a', 'b'\)"
    for call in (DIAMOND.parent, DIAMOND.path):
        with pytest.raises(ValueError, match=message):
            call("c")
    for between in (DIAMOND.distance, DIAMOND.lca):
        with pytest.raises(ValueError, match=message):
            between("d", "r")
    assert DIAMOND.parent("a") == "r"


@given(taxonomy=dags())
def test_dags_close_over_all_parents(taxonomy: Taxonomy) -> None:
    for label in taxonomy:
        assert taxonomy.closure([label]) == {label, *taxonomy.ancestors(label)}


def test_deep_and_wide_taxonomies_need_no_recursion_and_no_table() -> None:
    n = 20_000
    chain = Taxonomy((v - 1, v) for v in range(1, n))
    assert chain.distance(0, n - 1) == n - 1
    assert chain.height == n - 1
    nested: dict[int, Any] = {}
    for v in reversed(range(2_000)):
        nested = {v: nested}
    assert len(Taxonomy.from_nested(nested)) == 2_000
    star = Taxonomy.flat(range(n))
    assert star.distance(3, n - 1) == 2
