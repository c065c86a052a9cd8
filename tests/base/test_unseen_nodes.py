"""Adding nodes to a model does not change its predictions of the other labels."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from river_hier import OpenTaxonomy, Taxonomy, decision, linear_model
from support.makers import SEVERAL, SINGLE, TABLE, that

T = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})
MORE = [("b", "b1"), ("b", "b2"), ("b", "b3"), ("a", "f"), ("r", "g"), ("g", "h"), ("e", "e1")]
WIDER = T.extend(MORE)


# Not the calibrated ones, whose scale comes from the first example.
PLAIN = [name for name in SINGLE | SEVERAL if not name.startswith(("Temp", "Calib", "HLoss"))]
# Examples in which a new node is off count in the kernel's systems.
MODELS = [v for v in that("taxonomy", "answers") if v not in ("kernel HRLS", "kernel SHRLS")]


def examples(name: str, n: int, seed: int = 0) -> list[tuple[dict[int, float], Any]]:
    rng = np.random.default_rng(seed)
    stream = []
    for x in rng.normal(size=(n, 4)).tolist():
        y = ["b", "c", "e", "a", "d"][int(np.argmax([*x, 0.3]))]
        stream.append((dict(enumerate(x)), y if not TABLE[name].several else {y}))
    return stream


def learned(model: Any, stream: list[Any]) -> Any:
    for x, y in stream:
        model.learn_one(x, y)
    return model


def answers(name: str, model: Any) -> list[Any]:
    """The predictions for some x; of multilabel models, what is on."""
    found = []
    for x, _ in examples(name, 15, seed=1):
        p = model.predict_proba_one(x)
        if not TABLE[name].several:
            found.append((model.predict_one(x), p))
        else:
            on = {label for label, yes in model.predict_one(x).items() if yes}
            assert on == set(model.predict_labels_one(x))
            found.append((on, {label: q[True] for label, q in p.items()}))
    return found


@pytest.mark.slow(but=12)
@pytest.mark.parametrize("name", MODELS)
def test_added_nodes_change_nothing(name: str) -> None:
    model = learned(TABLE[name](T), examples(name, 60))
    wider = copy.deepcopy(model)
    wider.adopt(WIDER)
    for _ in range(2):
        for (y, p), (y_wide, p_wide) in zip(
            answers(name, model), answers(name, wider), strict=True
        ):
            assert y_wide == y
            assert {v: p_wide[v] for v in p} == pytest.approx(p)
            assert not any(p_wide[v] for v in p_wide.keys() - p.keys())
        wider = pickle.loads(pickle.dumps(wider))
    x = {0: 5.0, 1: 5.0}
    for _ in range(20):
        wider.learn_one(x, "b1" if not TABLE[name].several else {"b1"})
    p = wider.predict_proba_one(x)["b1"]
    assert (p if not TABLE[name].several else p[True]) > 0.0
    unseen = wider.predict_proba_one(x).get("h", 0.0)
    assert not (unseen if not TABLE[name].several or not unseen else unseen[True])


@pytest.mark.slow(but=12)
@pytest.mark.parametrize("name", [name for name in MODELS if "loop" not in TABLE[name].refuses])
def test_batches_agree(name: str) -> None:
    model = learned(TABLE[name](T), examples(name, 60))
    model.adopt(WIDER)
    X = np.array([list(x.values()) for x, _ in examples(name, 15, seed=1)])
    found, p = model.predict_many(X), model.predict_proba_many(X)
    one = [model.predict_one(dict(enumerate(row))) for row in X.tolist()]
    nodes = WIDER.nodes if not TABLE[name].several else WIDER.nodes[1:]
    if not TABLE[name].several:
        assert list(found) == one
    else:
        assert np.asarray(found).tolist() == [list(y.values()) for y in one]
    columns = [v for v in nodes if v not in T]
    assert not np.asarray(p)[:, [nodes.index(v) for v in columns]].any()
    looped = copy.deepcopy(model)
    stream = examples(name, 10, seed=2)
    stream[5] = (stream[5][0], "h" if not TABLE[name].several else {"h"})
    model.learn_many(np.array([list(x.values()) for x, _ in stream]), [y for _, y in stream])
    learned(looped, stream)
    for x, _ in stream:
        assert model.predict_one(x) == looped.predict_one(x)
        p, p_looped = model.predict_proba_one(x), looped.predict_proba_one(x)
        if TABLE[name].several:
            p, p_looped = ({v: q[True] for v, q in each.items()} for each in (p, p_looped))
        assert p == pytest.approx(p_looped)


@pytest.mark.slow(but=12)
@pytest.mark.parametrize("name", MODELS)
def test_added_nodes_do_not_compete(name: str) -> None:
    """Examples of old labels teach the same as without the added nodes."""
    model = learned(TABLE[name](T), examples(name, 60))
    wider = copy.deepcopy(model)
    wider.adopt(WIDER)
    learned(model, examples(name, 40, seed=3))
    learned(wider, examples(name, 20, seed=3))
    wider = learned(pickle.loads(pickle.dumps(wider)), examples(name, 40, seed=3)[20:])
    for (y, p), (y_wide, p_wide) in zip(answers(name, model), answers(name, wider), strict=True):
        assert y_wide == y
        assert {v: p_wide[v] for v in p} == pytest.approx(p)


@pytest.mark.parametrize("name", ["HAROW", "SHRLS", "HPerceptron"])
def test_calibration_does_not_learn_from_added_nodes(name: str) -> None:
    """Neither does it lose accuracy on the parents of many of them."""
    model = decision.Calibrated(learned(TABLE[name](T), examples(name, 60)))
    wider = copy.deepcopy(model)
    wider.adopt(WIDER)
    stream = examples(name, 40, seed=3)
    learned(model, stream)
    learned(wider, stream)
    for x, _ in stream:
        p, p_wide = model.predict_proba_one(x), wider.predict_proba_one(x)
        assert {v: p_wide[v][True] for v in p} == pytest.approx({v: p[v][True] for v in p})


@pytest.mark.parametrize("name", PLAIN)
def test_a_model_that_has_learned_nothing_is_a_new_one(name: str) -> None:
    if name == "PerNode":
        pytest.skip("its classifiers are created later")
    model, new = TABLE[name](T), TABLE[name](WIDER)
    model.adopt(WIDER)
    x = {0: 1.0}
    assert model.predict_one(x) == new.predict_one(x)
    assert model.predict_proba_one(x) == new.predict_proba_one(x)


def test_an_open_taxonomy_has_no_unseen_nodes() -> None:
    model = linear_model.HAROW(OpenTaxonomy(separator="/"))
    learned(model, [({0: 1.0}, {"a/b"}), ({1: 1.0}, {"d"})])
    assert not model._unseen
