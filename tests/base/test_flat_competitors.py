"""Models in `taxonomy.flatten()` learn from the same multilabels as models in the taxonomy."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, batch, drift, kernel, linear_model
from river_hier.taxonomy import closure_mask
from support.hypothesis_settings import n_examples
from support.makers import SEVERAL
from support.public_api import learners
from support.strategies import multilabels, parents_of, taxonomies

TREE = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("a", "d"), ("c", "e")])


MODELS: dict[str, Any] = {
    **SEVERAL,
    "HMinOver": lambda t: linear_model.HMinOver(t, candidates=t.nodes[1:]),
    "BranchReset": lambda t: drift.BranchReset(linear_model.HPerceptron(t)),
    "kernel.HRLS": lambda t: kernel.HRLS(t, kernel.RBF(1.0)),
}


def star(taxonomy: Taxonomy) -> Taxonomy:
    """A flat taxonomy of the same labels that knows no ancestors."""
    return Taxonomy.flat(taxonomy.nodes[1:], root=taxonomy.root)


@given(taxonomy=taxonomies(), data=st.data())
def test_a_flattened_taxonomy_adds_the_ancestors(taxonomy: Taxonomy, data: Any) -> None:
    flat, parents = taxonomy.flatten(), parents_of(taxonomy)
    y = data.draw(multilabels(taxonomy))
    assert flat._arrays.parents == star(taxonomy)._arrays.parents
    closed = {flat.nodes[v] for v in np.flatnonzero(closure_mask(flat, y))}
    assert closed == oracles.closure(parents, y)
    # All else is that of a flat taxonomy.
    assert flat.closure(y) == {*y, flat.root}
    assert all(flat.distance(label, flat.root) == 1 for label in flat.nodes[1:])
    for same in (pickle.loads(pickle.dumps(flat)), flat.flatten(), taxonomy.flatten()):
        assert same == flat
        assert hash(same) == hash(flat)
        assert closure_mask(same, y).tolist() == closure_mask(flat, y).tolist()
    assert (flat == star(taxonomy)) == (taxonomy == star(taxonomy))


FORMS = [list, set, tuple, iter, lambda y: dict.fromkeys(y, True), lambda y: y[0] if y else []]


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("name", MODELS)
@n_examples(12)
@given(taxonomy=taxonomies(), data=st.data(), seed=st.integers(0, 2**32))
def test_flat_models_learn_the_ancestors(
    name: str, taxonomy: Taxonomy, data: Any, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    ours, theirs = MODELS[name](taxonomy.flatten()), MODELS[name](star(taxonomy))
    for form in FORMS:
        x = dict(zip("abc", rng.normal(size=3).tolist(), strict=True))
        y = sorted(data.draw(multilabels(taxonomy)), key=taxonomy.index)
        closed = taxonomy.closure(y[:1] if form is FORMS[-1] else y)
        ours.learn_one(x, form(y))
        theirs.learn_one(x, closed)
    probe = {"a": 1.0, "b": -0.5}
    assert ours.predict_one(probe) == theirs.predict_one(probe)
    assert ours.predict_labels_one(probe) == theirs.predict_labels_one(probe)
    assert ours.predict_proba_one(probe) == theirs.predict_proba_one(probe)


@pytest.mark.parametrize("name", learners("linear_model")[1])
def test_flat_models_learn_the_ancestors_from_batches(name: str) -> None:
    X = pd.DataFrame({"x": [1.0, 0.0, 1.0, 0.5], "y": [0.0, 1.0, 0.5, -1.0]})
    y = ["e", "b", "d", "c"]
    table = pd.DataFrame([{label: label == on for label in TREE.leaves} for on in "ebdb"])
    closed = [TREE.closure([label]) for label in "ebdb"]
    for ys, truth in ((y, [TREE.closure([label]) for label in y]), (table, closed)):
        ours, theirs = MODELS[name](TREE.flatten()), MODELS[name](star(TREE))
        ours.learn_many(X, ys)
        theirs.learn_many(X, truth)
        assert ours.score_one({"x": 1.0}) == theirs.score_one({"x": 1.0})


def test_batch_models_learn_the_ancestors() -> None:
    examples = [({"x": 1.0}, ["e"]), ({"y": 1.0}, ["b"]), ({"x": 0.5, "y": 1.0}, ["d"])]
    closed = [(x, TREE.closure(y)) for x, y in examples]
    ours, theirs = batch.HSVM(TREE.flatten()).fit(examples), batch.HSVM(star(TREE)).fit(closed)
    assert ours.score_one({"x": 1.0}) == theirs.score_one({"x": 1.0})


@pytest.mark.parametrize("name", MODELS)
def test_a_contradiction_is_refused_as_in_the_tree(name: str) -> None:
    for taxonomy in (TREE, TREE.flatten()):
        model = MODELS[name](taxonomy)
        with pytest.raises(ValueError, match="'c' is on but its ancestor 'a' is False"):
            model.learn_one({"x": 1.0}, {"c": True, "a": False})


def test_single_labels_need_no_ancestors() -> None:
    for make in (linear_model.Hieron, kernel.Hieron, lambda t: drift.BranchReset(kernel.Hieron(t))):
        ours, theirs = make(TREE.flatten()), make(star(TREE))
        for model in (ours, theirs):
            for label in "edbcde":
                model.learn_one({label: 1.0, "any": 0.5}, label)
        assert ours.score_one({"e": 1.0}) == theirs.score_one({"e": 1.0})
