"""Averaged learners: they learn as alone, and predict with the mean of all hypotheses."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import preprocessing

import oracles
from river_hier import OpenTaxonomy, Taxonomy, kernel, linear_model
from support.comparison import assert_same_weights
from support.hypothesis_settings import n_examples
from support.strategies import extensions, parents_of, trees

INSIDE: dict[str, Callable[[Any], Any]] = {
    "Hieron": linear_model.Hieron,
    "Hieron, small steps": lambda t: linear_model.Hieron(t, C=0.1),
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "HAROW, large steps": lambda t: linear_model.HAROW(t, r=0.5),
}
each = pytest.mark.parametrize("name", INSIDE)
T = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})
WIDE = Taxonomy([("r", f"n{v}") for v in range(90)] + [(f"n{v}", f"m{v}") for v in range(90)])
Example = tuple[dict[Any, float], Any]


def averaged(name: str, taxonomy: Any) -> Any:
    return linear_model.Averaged(INSIDE[name](taxonomy))


def learned(model: Any, stream: list[Example]) -> Any:
    for x, y in stream:
        model.learn_one(x, y)
    return model


def examples(name: str, taxonomy: Taxonomy, n: int = 40, seed: int = 0) -> list[Example]:
    """Generic numbers, so that no rounding decides."""
    rng = np.random.default_rng(seed)
    stream: list[Example] = []
    for _ in range(n):
        names = rng.choice(12, 5, replace=False).tolist()
        x = {f"f{j}": float(v) for j, v in zip(names, rng.normal(size=5), strict=True)}
        y = taxonomy.nodes[int(rng.integers(1, len(taxonomy)))]
        stream.append((x, y if name.startswith("Hieron") else {y}))
    return stream


@each
@pytest.mark.parametrize("taxonomy", [T, WIDE, None], ids=["small", "large", "open"])
def test_the_model_inside_learns_as_alone(name: str, taxonomy: Any) -> None:
    stream = examples(name, taxonomy or T)
    model, alone = averaged(name, taxonomy), learned(INSIDE[name](taxonomy), stream)
    assert learned(model, stream).last.weights == alone.weights
    assert model.weights != alone.weights
    copied = learned(model.last, stream)  # independent of the model
    assert copied.weights != model.last.weights
    learned(model.model, stream[:5])  # its steps are rounds of the average, too
    again = learned(averaged(name, taxonomy), [*stream, *stream[:5]])
    assert model.weights == again.weights


@each
def test_what_a_model_knows_is_its_first_hypothesis(name: str) -> None:
    before, stream = examples(name, T, 15, seed=1), examples(name, T, 10)
    alone = learned(INSIDE[name](T), before)
    model = linear_model.Averaged(learned(INSIDE[name](T), before))
    hypotheses, labels = [alone.weights], []
    for example in stream:
        learned(alone, [example])
        hypotheses.append(alone.weights)
        learned(model, [example])
        labels.append(example[1] if isinstance(example[1], set) else {example[1]})
        first = oracles.averages.first_examples(parents_of(T), labels)
        assert_same_weights(model.weights, oracles.averages.mean(hypotheses, None, first))


@pytest.mark.parametrize("name", ["Hieron", "HPerceptron", "HAROW"])
@given(st.data())
@n_examples(15)
def test_a_forgotten_branch_is_not_in_the_average(name: str, data: Any) -> None:
    t, all_rounds = data.draw(trees()), data.draw(st.booleans())
    model = linear_model.Averaged(INSIDE[name](t), all_rounds)
    learned(model, examples(name, t, 10))
    before, label = model.weights, data.draw(st.sampled_from(t.nodes))
    model.forget(label)
    branch = (label, *t.descendants(label))
    assert model.weights == {v: {} if v in branch else w for v, w in before.items()}
    learned(model, examples(name, t, 3))


@pytest.mark.parametrize("name", ["Hieron", "HPerceptron", "HAROW"])
@given(st.data())
@n_examples(15)
def test_an_average_goes_on_in_an_extended_taxonomy(name: str, data: Any) -> None:
    t, all_rounds = data.draw(trees()), data.draw(st.booleans())
    after = data.draw(extensions(t))
    model, alone = linear_model.Averaged(INSIDE[name](t), all_rounds), INSIDE[name](t)
    hypotheses: list[Any] = [{v: {} for v in t}]
    closed: list[Any] = []
    for taxonomy in (t, after):
        model.adopt(taxonomy)
        alone.adopt(taxonomy)
        if taxonomy is after:
            hypotheses = [{v: w.get(v, {}) for v in after} for w in hypotheses]
        for x, y in examples(name, taxonomy, 6, seed=len(taxonomy)):
            model.learn_one(x, y)
            alone.learn_one(x, y)
            hypotheses.append({taxonomy.root: {}, **alone.weights})
            closed.append(y if isinstance(y, set) else {y})
    first = oracles.averages.first_examples(parents_of(after), closed, all_rounds)
    for v in set(after) - set(t):  # until its first example, a new node is averaged since then
        first.setdefault(v, 6)
    assert_same_weights(model.weights, oracles.averages.mean(hypotheses, None, first))


@each
def test_an_open_taxonomy_grows_along_paths(name: str) -> None:
    """A new node is averaged from the hypothesis on in which it is new."""
    stream = examples(name, T, 12)
    named = {label: "/".join(map(str, T.path(label)[1:])) for label in T.nodes[1:]}
    if not name.startswith("Hieron"):
        stream = [(x, *y) for x, y in stream]
    model = averaged(name, OpenTaxonomy(separator="/"))
    hypotheses: list[Any] = []
    labels: list[list[Any]] = []
    alone = INSIDE[name](OpenTaxonomy(separator="/"))
    for x, y in stream:
        label = named[y] if name.startswith("Hieron") else {named[y]}
        labels.append([named[y]])
        hypotheses.append(copy.deepcopy(alone))
        model.learn_one(x, label)
        alone.learn_one(x, label)
    grown = alone._taxonomy
    for hypothesis in hypotheses:
        hypothesis.adopt(grown)
    hypotheses.append(alone)
    assert isinstance(model.taxonomy, OpenTaxonomy)
    first = oracles.averages.first_examples(parents_of(grown), labels)
    expected = oracles.averages.mean([h.weights for h in hypotheses], None, first)
    assert_same_weights(model.weights, expected)


@pytest.mark.parametrize(
    "model",
    [
        *(getattr(linear_model, name)() for name in ("HRLS", "SHRLS", "HMinOver")),
        linear_model.AveragedHieron(),
        kernel.AveragedHieron(),
        kernel.HRLS(),
        linear_model.Averaged(linear_model.Hieron()),
        linear_model.Averaged(kernel.Hieron()),
        linear_model.Hieron,
        preprocessing.StandardScaler() | linear_model.HAROW(),
        None,
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_has_no_steps_of_its_own_is_refused(model: Any) -> None:
    with pytest.raises(TypeError, match=r"`model` must be a learner whose weights move in steps"):
        linear_model.Averaged(model)
