"""Leaves for examples that end at inner nodes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, linear_model
from river_hier.taxonomy import MiscLeaves, UnknownLabelError
from support.strategies import multilabels, parents_of, taxonomies

SPORT = Taxonomy.from_nested({"sport": ["tennis", "rowing"], "weather": None})


@given(data=st.data())
def test_against_the_definition(data: Any) -> None:
    taxonomy = data.draw(taxonomies())
    ys = data.draw(st.lists(multilabels(taxonomy), min_size=1, max_size=5))
    parents = parents_of(taxonomy)
    some, all_ = MiscLeaves(taxonomy, ys), MiscLeaves(taxonomy)
    assert some.leaf_of == oracles.misc_leaves(parents, ys)
    assert all_.leaf_of == oracles.misc_leaves(parents, ([v] for v in taxonomy))
    for misc in (some, all_):
        new = {leaf: (v,) for v, leaf in misc.leaf_of.items()}
        assert parents_of(misc.taxonomy) == parents | new
        assert [v for v in misc.taxonomy if v not in new] == list(taxonomy)
        for y in ys:
            leaves = misc.leaves(y)
            assert leaves == [misc.leaf_of.get(v, v) for v in oracles.ends(parents, y)]
            assert set(leaves) <= set(misc.taxonomy.leaves)
            assert misc.labels(leaves) == taxonomy.closure(y)


def test_a_multilabel_may_be_of_any_kind() -> None:
    misc = MiscLeaves(SPORT)
    for y in ("sport", ["sport"], {"sport": True, "weather": False}):
        assert misc.leaves(y) == ["sport, other"]
    assert misc.leaves([]) == ["root, other"]
    assert misc.labels({"sport, other": True, "weather": False}) == {"root", "sport"}
    assert repr(misc) == (
        "MiscLeaves(Taxonomy(root='root', 7 nodes, 5 leaves, height 2), 2 of them new)"
    )


def test_rankers_learn_examples_that_end_at_inner_nodes() -> None:
    misc = MiscLeaves(SPORT)
    plain, model = (linear_model.HMinOver(t) for t in (SPORT, misc.taxonomy))
    for x, y in [({"ball": 1.0}, "tennis"), ({"club": 1.0}, "sport")] * 5:
        plain.learn_one(x, [y])
        model.learn_one(x, misc.leaves(y))
    # Without its leaf, "sport" has no candidate.
    assert set(plain.weights["sport"]) == {"ball"}
    scores = model.score_one({"club": 1.0})
    assert max(misc.taxonomy.leaves, key=scores.__getitem__) == "sport, other"
    assert misc.labels(model.predict_one({"club": 1.0})) == {"root", "sport"}


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match=r"ends at 'sport', which has no leaf of its own, .* ends"):
        MiscLeaves(SPORT, [["tennis"]]).leaves("sport")
    with pytest.raises(UnknownLabelError):
        MiscLeaves(SPORT, [["golf"]])
    with pytest.raises(
        ValueError, match=r"`name` must be text with \{\} for the inner node, got 'x'"
    ):
        MiscLeaves(SPORT, name="x")
    taken = Taxonomy([("a", "b"), ("a", "a, other")])
    with pytest.raises(ValueError, match="leaf of 'a' would be 'a, other', which is a label alrea"):
        MiscLeaves(taken)
    assert MiscLeaves(taken, name="{} in general").leaf_of == {"a": "a in general"}
    twice = Taxonomy([("r", 1), ("r", "1"), (1, "b"), ("1", "c")])
    with pytest.raises(ValueError, match="of '1' would be '1, other', which is that of 1; give"):
        MiscLeaves(twice)
