"""The average of online Hieron in the space of a kernel: the batch rule of the paper of 2005."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import OpenTaxonomy, Taxonomy, inspection, kernel, linear_model
from support.comparison import assert_near, near_the_top
from support.hypothesis_settings import n_examples
from support.strategies import parents_of, single_label_streams

T = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})


def laplacian(x: Any, z: Any) -> float:
    """A kernel of one's own."""
    return math.exp(-sum(abs(x.get(n, 0.0) - z.get(n, 0.0)) for n in {**x, **z}))


KERNELS: dict[str, tuple[Any, Any]] = {  # ours, and the oracle's
    "linear": (kernel.Linear(), oracles.linear_kernel),
    "rbf": (kernel.RBF(sigma=1.5), oracles.rbf_kernel(1.5)),
    "function": (laplacian, laplacian),
}
each_kernel = pytest.mark.parametrize("which", KERNELS)
Example = tuple[dict[int, float], Any]


def averaged(*args: Any, **kwargs: Any) -> Any:
    return linear_model.Averaged(kernel.Hieron(*args, **kwargs))


def learned(model: Any, stream: list[Example]) -> Any:
    for x, y in stream:
        model.learn_one(x, y)
    return model


def examples(n: int = 40, seed: int = 0, d: int = 4) -> list[Example]:
    rng = np.random.default_rng(seed)
    labels = [T.nodes[int(v)] for v in rng.integers(1, len(T), size=n)]
    return [(dict(enumerate(rng.normal(size=d).tolist())), y) for y in labels]


@each_kernel
@given(
    data=single_label_streams(),
    pickle_at=st.integers(0, 25),
    C=st.sampled_from([math.inf, 0.1]),
)
@n_examples(25)
def test_it_is_the_mean_of_all_hypotheses(which: str, data: Any, pickle_at: int, C: float) -> None:
    taxonomy, stream = data
    model = averaged(taxonomy, KERNELS[which][0], C)
    theirs = oracles.KernelAveraged(parents_of(taxonomy), KERNELS[which][1], C=C)
    for step, (x, y) in enumerate(stream):
        scores, current = theirs.scores(x), theirs.current(x)
        assert_near(model.score_one(x), scores)
        assert_near(model.last.score_one(x), current)
        if len(near_the_top(scores)) == 1:
            assert model.predict_one(x) == oracles.argmax(scores)
        if len(near_the_top(current)) > 1 and any(current.values()):
            return  # rounding decides whom the step is for: from here on both may be right
        model.learn_one(x, y)
        theirs.learn(x, y)
        assert model.last.n_stored == len(theirs.hypotheses[-1])
        if step == pickle_at:
            model = pickle.loads(pickle.dumps(model))


@each_kernel
@pytest.mark.parametrize("budget", [2, 7])
def test_a_budget_forgets_in_all_hypotheses(which: str, budget: int) -> None:
    model = averaged(T, KERNELS[which][0], budget=budget)
    theirs = oracles.KernelAveraged(parents_of(T), KERNELS[which][1], budget)
    for x, y in examples(seed=budget):
        assert_near(model.score_one(x), theirs.scores(x))
        model.learn_one(x, y)
        theirs.learn(x, y)
        assert model.last.n_stored == len(theirs.hypotheses[-1]) <= budget


def test_what_a_model_knows_is_its_first_hypothesis() -> None:
    alone = learned(kernel.Hieron(T, kernel.RBF()), examples(15, seed=1))
    model, x = linear_model.Averaged(copy.deepcopy(alone)), {0: 0.5, 1: -1.0}
    hypotheses, labels = [alone.score_one(x)], []
    for example in examples(10):
        learned(model, [example])
        hypotheses.append(learned(alone, [example]).score_one(x))
        labels.append([example[1]])
        expected = oracles.averages.averaged_scores(parents_of(T), hypotheses, labels)
        assert model.score_one(x) == pytest.approx(expected)


@pytest.mark.parametrize("taxonomy", [None, OpenTaxonomy(separator="/")], ids=["flat", "paths"])
def test_an_open_taxonomy_grows(taxonomy: Any) -> None:
    named = {label: "/".join(map(str, T.path(label)[1:])) for label in T.nodes[1:]}
    model, alone = averaged(taxonomy, kernel.RBF()), kernel.Hieron(taxonomy, kernel.RBF())
    hypotheses, labels = [], []
    for x, y in examples(12):
        labels.append([named[y]])
        hypotheses.append(copy.deepcopy(alone))
        model.learn_one(x, named[y])
        alone.learn_one(x, named[y])
    grown = alone._taxonomy
    hypotheses = [h for h in hypotheses if not h.adopt(grown)] + [alone]
    for x, _ in examples(5, seed=3):
        every = [h.score_one(x) for h in hypotheses]
        expected = oracles.averages.averaged_scores(parents_of(grown), every, labels)
        assert model.score_one(x) == pytest.approx(expected)
        assert model.last.score_one(x) == alone.score_one(x)


def test_adopt_and_forget() -> None:
    model = learned(averaged(T, kernel.RBF()), examples())
    x = {0: 0.5, 1: -1.0}
    before = model.score_one(x)
    model.adopt(T.extend([("d", "f")]))
    after = model.score_one(x)
    assert {v: after[v] for v in T} == pytest.approx(before)
    assert after["f"] == pytest.approx(after["d"])  # like its parent
    assert model.taxonomy == model.last.taxonomy == model.clone().taxonomy
    learned(model, [(x, "f")])
    model.forget("r")
    assert set(model.score_one(x).values()) == {0.0}
    assert set(model.last.score_one(x).values()) == {0.0}


def test_it_is_explained_by_stored_examples() -> None:
    model, x = learned(averaged(T, kernel.RBF()), examples()), {0: 0.5, 1: -1.0}
    for label, why in model.explain_one(x).items():
        total = sum(part for _, part in why.contributions)
        assert why.score == model.score_one(x)[label] == pytest.approx(total)
    (path, _), *_ = inspection.top_one(model, x, 2)
    assert path == T.path(model.predict_one(x))


@pytest.mark.parametrize("model", [kernel.AveragedHieron(), kernel.HRLS(), averaged()], ids=str)
def test_others_are_refused(model: Any) -> None:
    with pytest.raises(TypeError, match="`model` must be a learner whose weights move in steps"):
        linear_model.Averaged(model)
