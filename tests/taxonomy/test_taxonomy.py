"""The taxonomy against naive dicts, its laws and its error messages."""

import copy
import json
import pickle
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
from river_hier import OpenTaxonomy, Taxonomy
from river_hier.taxonomy import UnknownLabelError, closure_mask
from river_hier.taxonomy.open import initial_taxonomy
from support.strategies import LABELS, multilabels, parents_of, taxonomies, trees

ANIMALS = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
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
        assert taxonomy.nodes[taxonomy.index(label)] == label
        assert label in taxonomy
    assert taxonomy.nodes[0] == taxonomy.root == oracles.root(parents)
    assert taxonomy.height == max(map(taxonomy.depth, taxonomy))
    assert set(taxonomy.leaves) == {v for v in taxonomy if not taxonomy.children(v)}
    assert set(taxonomy._arrays.inner) == set(taxonomy) - set(taxonomy.leaves)
    assert taxonomy._arrays.is_tree == all(len(taxonomy.parents(v)) < 2 for v in taxonomy)
    depths = [taxonomy.depth(v) for v in taxonomy]
    assert depths == sorted(depths), "level by level"


@given(taxonomy=taxonomies())
def test_arrays(taxonomy: Taxonomy) -> None:
    arrays, n = taxonomy._arrays, len(taxonomy)
    for v, label in enumerate(taxonomy):
        above = arrays.parent_index[arrays.parent_ptr[v] : arrays.parent_ptr[v + 1]]
        assert taxonomy.parents(label) == tuple(taxonomy.nodes[p] for p in above)
    assert arrays.n == n
    families = [{taxonomy._arrays.parents[v] for v in nodes} for nodes in arrays.groups]
    assert all(len(parents) == 1 for parents in families), "a group has the same parents"
    assert len(set.union(*families)) == len(families), "and there is one of them"
    assert sorted(np.concatenate(arrays.groups)) == list(range(1, n))
    assert all((np.diff(nodes) > 0).all() for nodes in arrays.groups)
    for d, level in enumerate(arrays.levels, start=1):
        nodes = np.arange(n)[level.nodes].tolist()
        assert [v for v in range(n) if arrays.depth[v] == d] == nodes
        parents = [p for v in nodes for p in taxonomy._arrays.parents[v]]
        assert level.parents.tolist() == parents
        if level.starts is None:
            assert len(parents) == len(nodes)
        else:
            sizes = np.diff([*level.starts, len(parents)]).tolist()
            assert sizes == [len(taxonomy._arrays.parents[v]) for v in nodes]
    columns = arrays.parent_ptr, arrays.parent_index, arrays.depth
    assert {a.dtype for a in (*columns, *arrays.groups)} == {np.dtype(np.intp)}


def test_a_group_need_not_stand_side_by_side() -> None:
    edges = [("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d"), ("a", "e"), ("b", "e")]
    t = Taxonomy(edges)
    assert t.nodes == ("r", "a", "b", "c", "d", "e")
    assert [nodes.tolist() for nodes in t._arrays.groups] == [[1, 2], [3, 5], [4]]


@given(labels=st.lists(st.sampled_from([*LABELS, 7.0, -3.0]), max_size=20))
def test_stars(labels: list[Any]) -> None:
    star = Taxonomy.flat(labels, root="all")
    assert list(star.children("all")) == list(dict.fromkeys(labels)), "each once, in this order"
    assert list(map(type, star.nodes[1:])) == list(map(type, dict.fromkeys(labels)))
    assert star._arrays.parents == ((), *((0,) for _ in star.nodes[1:]))
    if labels:
        slowly = Taxonomy([("all", label) for label in labels])
        assert star == slowly
        for name in "parent_ptr", "parent_index", "depth", "levels", "groups":
            assert repr(getattr(star._arrays, name)) == repr(getattr(slowly._arrays, name))


@given(taxonomy=trees())
def test_trees(taxonomy: Taxonomy) -> None:
    parents = parents_of(taxonomy)
    for u in taxonomy:
        assert list(taxonomy.path(u)) == oracles.path(parents, u)
        assert taxonomy.parent(u) == (parents[u][0] if parents[u] else None)
        for v in taxonomy:
            assert taxonomy.distance(u, v) == oracles.distance(parents, u, v)
            assert taxonomy.lca(u, v) == oracles.lca(parents, u, v)


@given(taxonomy=taxonomies(), data=st.data())
def test_multilabels(taxonomy: Taxonomy, data: st.DataObject) -> None:
    parents = parents_of(taxonomy)
    y = data.draw(multilabels(taxonomy))
    closed = taxonomy.closure(y)
    assert closed == oracles.closure(parents, y)
    assert taxonomy.closure(closed) == closed, "idempotent"
    kept = taxonomy.truncate(y)
    assert kept == oracles.truncate(parents, y)
    assert taxonomy.closure(kept) == taxonomy.truncate(kept) == kept
    mask = closure_mask(taxonomy, {label: label in closed for label in taxonomy.nodes[1:]})
    assert [label for label, on in zip(taxonomy, mask, strict=True) if on] == sorted(
        closed, key=taxonomy.index
    )
    assert (closure_mask(taxonomy, y) == mask).all()
    assert (closure_mask(taxonomy, iter(y)) == mask).all()


@given(taxonomy=taxonomies())
def test_doors_in_and_out(taxonomy: Taxonomy) -> None:
    assert Taxonomy(taxonomy.edges) == taxonomy
    assert hash(Taxonomy(taxonomy.edges)) == hash(taxonomy)
    assert Taxonomy(nx.DiGraph(taxonomy.edges).edges) == taxonomy
    assert pickle.loads(pickle.dumps(taxonomy)) == taxonomy
    assert copy.deepcopy(taxonomy) is taxonomy
    assert copy.copy(taxonomy) is taxonomy
    assert repr(pickle.loads(pickle.dumps(taxonomy))) == repr(taxonomy)


@given(taxonomy=trees())
def test_doors_of_trees(taxonomy: Taxonomy) -> None:
    assert Taxonomy.from_parents({v: taxonomy.parent(v) for v in taxonomy}) == taxonomy
    assume("" not in taxonomy)  # it would be a missing name
    assert Taxonomy.from_paths([taxonomy.path(v) for v in taxonomy]) == taxonomy
    again = Taxonomy.from_nested(taxonomy.to_nested())
    assert dict(parents_of(again)) == dict(parents_of(taxonomy))
    names = [tuple(map(str, taxonomy.path(v))) for v in taxonomy]
    assume(len(set(names)) == len(taxonomy))  # 7 and "7"
    opened = OpenTaxonomy()
    grown = opened.with_labels(initial_taxonomy(opened), [path[1:] for path in names])
    for t, root in [(Taxonomy.from_paths(names, labels="path"), None), (grown, ())]:
        read = json.loads(json.dumps(t.to_nested()))
        back = Taxonomy.from_nested(read, labels="path", root=root)
        assert dict(parents_of(back)) == dict(parents_of(t))


def test_from_nested_takes_lists_strings_and_none() -> None:
    t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": "owl", "fish": None}})
    assert t.nodes == ("animal", "mammal", "bird", "fish", "wolf", "whale", "owl")


def test_several_tops_are_joined() -> None:
    forest = [("a", "b"), ("c", "d")]
    assert Taxonomy(forest).nodes == ("root", "a", "c", "b", "d")
    assert Taxonomy(forest, root="all").children("all") == ("a", "c")
    assert Taxonomy([("a", "b")], root="a").root == "a"


def test_flat_flatten_subset() -> None:
    assert Taxonomy.flat("abc").nodes == ("root", "a", "b", "c")
    assert Taxonomy.flat([]).nodes == ("root",)
    assert repr(Taxonomy.flat([])) == "Taxonomy(root='root', 1 node, 1 leaf, height 0)"
    assert Taxonomy.flat([]).edges == ()
    assert DIAMOND.edges == (("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("c", "d"))
    assert len(ANIMALS.edges) == 5
    flat = ANIMALS.flatten()
    assert flat.nodes == ANIMALS.nodes
    assert set(flat.children("animal")) == set(ANIMALS.nodes[1:])
    assert ANIMALS.flatten().flatten() == flat
    kept = ANIMALS.subset(["wolf", "bird"])
    assert kept == Taxonomy([("animal", "bird"), ("animal", "wolf")])
    assert ANIMALS.subset(ANIMALS) == ANIMALS
    assert ANIMALS.subset([]).nodes == ("animal",)
    assert ANIMALS.subset("wolf") == ANIMALS.subset(["wolf"])
    assert ANIMALS.subset({"wolf": True, "owl": False}) == ANIMALS.subset(["wolf"])
    assert Taxonomy.flat("ab").subset(["a", "b"]) == Taxonomy.flat("ab")
    with pytest.raises(ValueError, match="label 'ab' is not in the taxonomy"):
        Taxonomy.flat("ab").subset("ab")
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
        ([("r", "a", "b")], None, ValueError, r"must be a \(parent, child\) pair"),
        (["ra"], None, ValueError, "edge 0 is 'ra'"),
        ([b"ra"], None, ValueError, "edge 0 is b'ra'"),
        ([3], None, ValueError, r"edge 0 is 3: it must be a \(parent, child\) pair"),
        ([("r", "a"), {"r", "b"}], None, ValueError, "edge 1 is {.*: it must be a .* pair"),
        ([frozenset({"r", "b"})], None, ValueError, "it must be a .* pair"),
        ([{"r": 1, "b": 2}], None, ValueError, "it must be a .* pair"),
        (None, None, TypeError, r"`edges` must be an iterable of \(parent, child\) pairs, got N"),
        ("ra", None, TypeError, "iterable of .* pairs, got str"),
        ({"a": "r"}, None, TypeError, "Taxonomy.from_parents"),
        ([("a", "b"), ("c", "d")], "a", ValueError, "'c' is a second root beside 'a'"),
        ([("a", "b")], "b", ValueError, "'a' is the only node without a parent"),
        ([("a", "b"), ("c", "d")], "b", ValueError, "joined under 'b', which has parent 'a'"),
        ([("a", "root"), ("c", "d")], None, ValueError, "choose another `root`"),
        ([("a", "b"), ("c", "d")], [1], TypeError, "not hashable"),
        ([("a", "b")], [], TypeError, r"label \[\] is not hashable"),
    ],
)
def test_bad_edges(edges: Any, root: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Taxonomy(edges, root=root)


def test_tables_come_with_advice() -> None:
    df = pd.DataFrame({"child": ["a", "b"], "parent": ["r", "r"]})
    with pytest.raises(TypeError, match=r"got DataFrame; .* zip\(df.parent, df.child\)"):
        Taxonomy(df)
    with pytest.raises(TypeError, match=r"got Series; a Series has .to_dict\(\)"):
        Taxonomy.from_parents(df.set_index("child").parent)
    assert Taxonomy(zip(df.parent, df.child, strict=True)).nodes == ("r", "a", "b")


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_in_a_table_with_the_root_its_parent_is_missing(missing: Any) -> None:
    df = pd.DataFrame({"child": [1, 2, 3], "parent": [missing, 1, 2]})
    with pytest.raises(
        ValueError, match=r"edge 0 is .*; for roots without a parent .*from_parents"
    ):
        Taxonomy(zip(df.parent, df.child, strict=True))
    t = Taxonomy.from_parents(dict(zip(df.child, df.parent, strict=True)))
    assert t == Taxonomy([(1, 2), (2, 3)])


def test_a_long_cycle_is_shown_in_part() -> None:
    with pytest.raises(ValueError, match=r"0 -> 1 -> .* -> \.\.\. -> .* -> 99 -> 0"):
        Taxonomy([(i, (i + 1) % 100) for i in range(100)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Taxonomy.from_parents([("a", "b")]), "must be {child: parent}, got list"),
        (lambda: Taxonomy.from_paths(["abc"]), "path 0: 'abc' is not a tuple"),
        (lambda: Taxonomy.from_nested(["a"]), "must be a mapping of mappings, got list"),
        (lambda: Taxonomy.from_nested({"a": 3}), "the value of 'a' is 3"),
        (lambda: ANIMALS.index({"wolf"}), "not hashable"),
        (lambda: Taxonomy.flat(None), "`labels` must be an iterable of labels, got NoneType"),
        (lambda: Taxonomy.flat([["a"]]), r"label \['a'\] is not hashable"),
        (lambda: Taxonomy.flat([], root=[]), r"label \[\] is not hashable"),
    ],
)
def test_bad_doors(call: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize(
    ("labels", "root", "message"),
    [
        (["a", "root"], "root", "'root' names the root .* its own parent"),
        ([True], 1, "names the root"),
        (["a", None], "root", "None cannot be a label"),
        ([float("nan")], "root", "nan cannot be a label"),
        (["a"], None, "None cannot be a label"),
    ],
)
def test_bad_stars(labels: Any, root: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Taxonomy.flat(labels, root=root)


@pytest.mark.parametrize("error", [UnknownLabelError, KeyError, ValueError])
def test_unknown_labels_come_with_a_suggestion(error: type[Exception]) -> None:
    message = r"^label 'wolff' is not in the taxonomy \(6 nodes\); did you mean 'wolf'\?$"
    with pytest.raises(error, match=message):
        ANIMALS.depth("wolff")


def test_a_suggestion_ignores_case() -> None:
    t = Taxonomy([("shop", "Women"), ("shop", "Men")])
    with pytest.raises(UnknownLabelError, match="did you mean 'Men'"):
        t.depth("men")


def test_an_array_of_edges_has_labels_of_python() -> None:
    assert json.dumps(Taxonomy(np.array([[0, 1], [0, 2]])).extend(np.array([[1, 3]])).nodes) == (
        "[0, 1, 2, 3]"
    )


def test_large_taxonomies_are_not_searched_for_a_suggestion() -> None:
    for n, guess in (
        (1_999, "did you mean 'label 17'"),
        (2_000, r"\(2001 nodes\); a model with an `OpenTaxonomy` learns"),
    ):
        with pytest.raises(UnknownLabelError, match=guess):
            Taxonomy.flat(f"label {v}" for v in range(n)).index("lable 17")


def test_unknown_labels_survive_pickling() -> None:
    with pytest.raises(UnknownLabelError) as caught:
        ANIMALS.index(("x", 1))
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ({"wolf": True, "mammal": False}, "'wolf' is on but .* 'mammal' is False.* A set or list"),
        ({"animal": False, "owl": True}, "'owl' is on but its ancestor 'animal' is False"),
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
        closure_mask(ANIMALS, y)


def test_where_nothing_is_on_the_root_may_be_false() -> None:
    for y in ({}, {"animal": False}, {"animal": False, "owl": False}, {"animal": True}):
        assert ANIMALS.closure(y) == {"animal"}


def test_tree_only_calls_name_the_node_with_two_parents() -> None:
    message = r"node 'c' has 2 parents \('a', 'b'\)"
    for call in (DIAMOND.parent, DIAMOND.path):
        with pytest.raises(ValueError, match=message):
            call("c")
    for between in (DIAMOND.distance, DIAMOND.lca):
        with pytest.raises(ValueError, match=message):
            between("d", "r")
    assert DIAMOND.parent("a") == "r"


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
