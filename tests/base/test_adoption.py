"""Models that adopt another taxonomy, against an oracle, and what must not change."""

from __future__ import annotations

import copy
import pickle
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, kernel, linear_model, probabilistic
from support.hypothesis_settings import n_examples
from support.strategies import changes, extensions, features, multilabels, parents_of, reals, trees

SINGLE = ["Hieron", "AveragedHieron"]
TOP_DOWN = ["HPerceptron", "HAROW", "HRLS", "SHRLS"]
RENAMED_ONLY = ["HRLS", "SHRLS"]  # they cannot merge nodes
T = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})
Example = tuple[dict[Any, float], Any]


def learner(name: str, taxonomy: Any) -> Any:
    return getattr(linear_model, name)(taxonomy)


def stream(data: Any, name: str, t: Taxonomy, max_size: int = 15) -> list[Example]:
    labels: Any = st.sampled_from(t.nodes) if name not in TOP_DOWN else multilabels(t)
    return data.draw(st.lists(st.tuples(features(reals), labels), max_size=max_size))  # type: ignore[no-any-return]


def learned(model: Any, examples: list[Example]) -> Any:
    for x, y in examples:
        model.learn_one(x, y)
    return model


def unmerged(t: Taxonomy, after: Taxonomy, renamed: dict[Any, Any]) -> dict[Any, Any]:
    """The same change, but nodes that would be merged into others are forgotten."""
    taken = {label for label in t if label in after} | {None}
    result = {}
    for label, new in renamed.items():
        result[label] = None if new in taken else new
        taken.add(new)
    return result


def near(scores: Any) -> Any:
    return pytest.approx(scores, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("name", ["Hieron", "HPerceptron", "HAROW", "HMinOver"])
@given(st.data())
@n_examples(10)
def test_weights_are_those_of_the_oracle(name: str, data: Any) -> None:
    t = data.draw(trees())
    after, renamed = data.draw(changes(t))
    model = learned(learner(name, t), stream(data, name, t) if name != "HMinOver" else [])
    if name == "HMinOver":
        learned(model, stream(data, "HPerceptron", t))
    remap_weights = oracles.carried_weights if name != "Hieron" else oracles.carried_prototypes
    old = {t.root: {}, **model.weights}
    model.adopt(after, renamed)
    expected = remap_weights(old, parents_of(t), parents_of(after), renamed)
    for label, w in model.weights.items():
        for feature in w.keys() | expected[label].keys():
            assert w.get(feature, 0.0) == near(expected[label].get(feature, 0.0))
    assert model.taxonomy == after
    assert list(model.score_one({})) == list(after.nodes[name != "Hieron" :])


@pytest.mark.slow(but=5)
@pytest.mark.parametrize("name", SINGLE + TOP_DOWN)
@given(st.data())
@n_examples(10)
def test_scores_of_kept_nodes_do_not_change(name: str, data: Any) -> None:
    """Whatever else changes; new nodes of a prototype model score as their parents."""
    t = data.draw(trees())
    after, renamed = data.draw(changes(t))
    renamed = unmerged(t, after, renamed)
    model = learned(learner(name, t), stream(data, name, t))
    asked = data.draw(st.lists(features(reals), min_size=1, max_size=3))
    before = [model.score_one(x) for x in asked]
    model.adopt(after, renamed)
    for x, old in zip(asked, before, strict=True):
        new = model.score_one(x)
        for label in t.nodes[1:]:
            if (kept := renamed.get(label, label)) is not None:
                assert new[kept] == near(old[label])
        new_labels = {renamed.get(label, label) for label in t}
        for label in after.nodes[1:]:
            if label not in new_labels and name in SINGLE:
                assert new[label] == near(new[after.parent(label)])
    learned(model, stream(data, name, after, 5))


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("name", ["Hieron", *TOP_DOWN])
@given(st.data())
@n_examples(10)
def test_new_labels_do_not_affect_old_ones(name: str, data: Any) -> None:
    """Adopting more nodes has no effect as long as none of them occurs.

    Except in AveragedHieron, which learns that new labels are wrong before any of them occurs.
    """
    t = data.draw(trees())
    after = data.draw(extensions(t))
    model = learned(learner(name, t), stream(data, name, t))
    other = copy.deepcopy(model)
    model.adopt(after)
    for x, y in stream(data, name, t):
        old = other.score_one(x)
        assert {label: model.score_one(x)[label] for label in old} == near(old)
        if name == "Hieron":
            top = sorted(old.values())[-2:]
            if top[-1] - top[0] > 1e-6:
                assert model.predict_one(x) == other.predict_one(x)
        model.learn_one(x, y)
        other.learn_one(x, y)


@pytest.mark.parametrize("features_of_x", ["few", "many"])
@given(st.data())
@n_examples(12)
def test_hrls_is_as_if_new_siblings_had_always_existed(features_of_x: str, data: Any) -> None:
    """With few features the systems are primal, with many they are dual."""
    t = data.draw(trees())
    inner = data.draw(st.sampled_from(t.inner))
    after = t.extend([(inner, "new"), (inner, "newer")])
    examples = stream(data, "HRLS", t)
    if features_of_x == "many":
        examples = [({**x, f"only here {i}": 1.0}, y) for i, (x, y) in enumerate(examples)]
    model = learned(learner("HRLS", t), examples)
    model.adopt(after)
    fresh = learned(learner("HRLS", after), examples)
    for x, y in stream(data, "HRLS", after):
        assert model.score_one(x) == near(fresh.score_one(x))
        # What is printed begins with the answer, from which `model` leaves out new labels.
        assert model.debug_one(x).splitlines()[1:2] == fresh.debug_one(x).splitlines()[1:2]
        model.learn_one(x, y)
        fresh.learn_one(x, y)


@given(st.data())
@n_examples(12)
def test_the_discriminant_is_as_if_the_taxonomy_had_always_been_this(data: Any) -> None:
    """Also after renaming, moving and merging: exact, unless something is forgotten.

    But for the rates of labels, which are counted from steps that depend on the taxonomy then.
    """
    t = data.draw(trees())
    after, renamed = data.draw(changes(t))
    renamed = {label: new or after.nodes[-1] for label, new in renamed.items()}
    examples = stream(data, "Hieron", t)
    model = learned(probabilistic.LinearDiscriminant(t), examples)
    model.adopt(after, renamed)
    new_labels = {**{label: label for label in t}, **renamed, t.root: after.root}
    fresh = learned(
        probabilistic.LinearDiscriminant(after), [(x, new_labels[y]) for x, y in examples]
    )
    for x, y in stream(data, "Hieron", after, 5):
        found = []
        for either in (model, fresh):
            logs = either._discriminant.rates.logs()
            found.append(
                [s - log for s, log in zip(either.score_one(x).values(), logs, strict=True)]
            )
        assert found[0] == near(found[1])
        model.learn_one(x, y)
        fresh.learn_one(x, y)


@pytest.mark.parametrize("name", SINGLE)
@given(st.data())
@n_examples(12)
def test_kernel_models_adopt_as_their_linear_counterparts(name: str, data: Any) -> None:
    t = data.draw(trees())
    after, renamed = data.draw(changes(t))
    examples = stream(data, name, t)
    model = learned(getattr(kernel, name)(t), examples)
    other = learned(learner(name, t), examples)
    model.adopt(after, renamed)
    other.adopt(after, renamed)
    for x in data.draw(st.lists(features(reals), max_size=4)):
        assert model.score_one(x) == near(other.score_one(x))
    learned(model, stream(data, name, after, 4))


def examples_of(name: str, t: Taxonomy = T, n: int = 40) -> list[Example]:
    labels = [t.nodes[1 + i * 3 % (len(t) - 1)] for i in range(n)]
    xs = [{"x": float(i % 7) - 3, "y": float(i % 5) - 2, i % 4: 1.0} for i in range(n)]
    ys: list[Any] = labels if name not in [*TOP_DOWN, "HMinOver"] else [{y} for y in labels]
    return list(zip(xs, ys, strict=True))


@pytest.mark.parametrize("name", [*SINGLE, *TOP_DOWN, "HMinOver"])
@pytest.mark.parametrize(
    ("after", "renamed", "message"),
    [
        (T.subset(["a", "b", "c"]), None, "label 'd' is not in the new taxonomy"),
        (T, {"x": "a"}, "label 'x' is not in the taxonomy"),
        (T.extend([("b", "x"), ("c", "x")]), None, "node 'x' has 2 parents"),
        (T.merge(["b"], "c"), {"b": "c"}, "cannot merge nodes, and 'b' and 'c' would both be 'c'"),
        ("abc", None, "`taxonomy` must be a Taxonomy, got str"),
        (None, None, "`taxonomy` must be a Taxonomy, got NoneType"),
    ],
)
def test_a_rejected_adoption_changes_nothing(
    name: str, after: Any, renamed: Any, message: str
) -> None:
    fine = {
        "parents": [*TOP_DOWN, "HMinOver"],
        "merge": [*SINGLE, "HPerceptron", "HAROW", "HMinOver"],
    }
    if any(word in message and name in names for word, names in fine.items()):
        pytest.skip("this learner can do that")
    model = learned(learner(name, T), examples_of(name))
    before = pickle.dumps(model)
    with pytest.raises((ValueError, TypeError), match=message):
        model.adopt(after, renamed)
    assert pickle.dumps(model) == before


def test_kernel_least_squares_cannot_adopt() -> None:
    model = learned(kernel.HRLS(T), examples_of("HRLS", n=5))
    with pytest.raises(TypeError, match=r"kernel\.HRLS cannot.*linear_model\.HRLS can"):
        model.adopt(T.rename({"b": "z"}), {"b": "z"})
    assert model.predict_one({}).keys() == set(T.nodes[1:])


@pytest.mark.parametrize("name", [*SINGLE, *TOP_DOWN, "HMinOver"])
def test_an_open_model_is_closed_by_a_tree_over_its_labels(name: str) -> None:
    model = learned(learner(name, None), examples_of(name))
    scores = model.score_one({"x": 1.0, 3: 2.0})
    model.adopt(T)
    with pytest.raises(ValueError, match="label 'z' is not in the taxonomy"):
        model.learn_one({"x": 1.0}, "z")
    if name != "HMinOver":  # there the score of a label includes its ancestors
        kept = model.score_one({"x": 1.0, 3: 2.0})
        assert {label: kept[label] for label in "abcde"} == near(
            {label: scores[label] for label in "abcde"}
        )
    learned(model, examples_of(name))


@pytest.mark.parametrize("name", RENAMED_ONLY)
def test_moved_nodes_keep_their_instances(name: str) -> None:
    model = learned(learner(name, T), examples_of(name))
    x = {"x": 1.5, "y": -1.0}
    scores = model.score_one(x)
    for after in (T.move("b", "d"), T.move("b", "d").move("e", "a"), T):
        model.adopt(after)
        assert {label: model.score_one(x)[label] for label in scores} == near(scores)
        assert list(model.weights) == list(after.nodes[1:])
        model.debug_one(x)
    learned(model, examples_of(name))
    assert model.score_one(x) != near(scores)


def test_new_nodes_share_the_system_of_old_siblings() -> None:
    """And not that of a moved sibling, whose instances come from another parent."""
    model = learned(learner("HRLS", T), examples_of("HRLS"))
    stayed, mixed, alone = (copy.deepcopy(model) for _ in range(3))
    x = {"x": 1.5, "y": -1.0}
    stayed.adopt(T.extend([("d", "new")]))
    mixed.adopt(Taxonomy.from_nested({"r": {"a": ["c"], "d": ["b", "new", "e"]}}))
    assert mixed.score_one(x)["new"] == near(stayed.score_one(x)["new"]) != 0.0
    alone.adopt(T.move("b", "e").extend([("e", "new")]))
    assert alone.score_one(x)["new"] == 0.0 != alone.score_one(x)["b"]


@pytest.mark.parametrize("name", [*SINGLE, "HAROW"])
def test_a_branch_of_a_long_chain(name: str) -> None:
    """Quadratic time would take many seconds."""
    n = 3_000
    model = learner(name, Taxonomy([(i, i + 1) for i in range(n)]))
    begun = time.process_time()
    for y in (n, n - 1, n // 2):
        model.learn_one({"x": 1.0}, y if name in SINGLE else {y})
    model.forget(n // 2)
    model.adopt(model.taxonomy.move(n, n - 2))
    assert time.process_time() - begun < 5.0
    assert len(model.score_one({"x": 1.0})) >= n
