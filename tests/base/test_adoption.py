"""Models that adopt a larger taxonomy: what is new, and what must not change."""

import copy
import pickle
import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import OpenTaxonomy, Taxonomy, drift, kernel, linear_model, probabilistic
from river_hier.taxonomy import closure_mask
from support.hypothesis_settings import n_examples
from support.public_api import estimators, learners
from support.strategies import extensions, features, multilabels, reals, sample_weights, trees

SINGLE, MULTI = learners("linear_model")
KERNELS, _ = learners("kernel")
PROTOTYPES = [name for name in SINGLE if "Softmax" not in name]
TOP_DOWN = [name for name in MULTI if name != "HMinOver"]  # whose threshold is one for all
T = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e"]}})
Example = tuple[Any, ...]  # x, y and perhaps a weight


def learner(name: str, taxonomy: Any) -> Any:
    return getattr(linear_model, name)(taxonomy)


def stream(data: Any, name: str, t: Taxonomy, max_size: int = 15) -> list[Example]:
    labels: Any = st.sampled_from(t.nodes) if name not in TOP_DOWN else multilabels(t)
    return data.draw(st.lists(st.tuples(features(reals), labels), max_size=max_size))  # type: ignore[no-any-return]


def learned(model: Any, examples: list[Example]) -> Any:
    for x, y, *w in examples:
        model.learn_one(x, y, *w)
    return model


def near(scores: Any) -> Any:
    return pytest.approx(scores, rel=1e-7, abs=1e-7)


@pytest.mark.slow(but=5)
@pytest.mark.parametrize("name", PROTOTYPES + TOP_DOWN)
@given(st.data())
@n_examples(10)
def test_scores_of_old_nodes_do_not_change(name: str, data: Any) -> None:
    """New nodes of a prototype model score as their parents, others have no weights."""
    t = data.draw(trees())
    after = data.draw(extensions(t))
    model = learned(learner(name, t), stream(data, name, t))
    asked = data.draw(st.lists(features(reals), min_size=1, max_size=3))
    before = [model.score_one(x) for x in asked]
    model.adopt(after)
    assert model.taxonomy == after
    for x, old in zip(asked, before, strict=True):
        new = model.score_one(x)
        assert list(new) == list(after.nodes[name not in SINGLE :])
        assert {label: new[label] for label in old} == near(old)
        for label in after.nodes[len(t) :]:
            if name != "HRLS":
                parent = new[after.parent(label)] if name in SINGLE else 0.0
                assert new[label] == near(parent)
    learned(model, stream(data, name, after, 5))


@given(trees(), st.data())
def test_new_nodes_become_the_last_ones(t: Taxonomy, data: Any) -> None:
    """A larger taxonomy may be built anew, in another order."""
    grown = data.draw(extensions(t))
    anew = Taxonomy(data.draw(st.permutations(grown.edges)), root=grown.root)
    for flat in (False, True):
        before, after = (s.flatten() if flat else s for s in (t, anew))
        model = linear_model.HPerceptron(before)
        model.learn_one({"x": 1.0}, {t.nodes[-1]})
        old = model.weights
        model.adopt(after)
        assert {label: w for label, w in model.weights.items() if label in t} == old
        assert model.taxonomy is model.taxonomy_
        assert model.taxonomy.nodes[: len(t)] == t.nodes
        assert set(model.taxonomy.edges) == set(after.edges)
        for y in anew.nodes[1:]:
            closed = [
                {s.nodes[v] for v in closure_mask(s, {y}).nonzero()[0]}
                for s in (after, model.taxonomy)
            ]
            assert closed[0] == closed[1] == {*anew.path(y)}


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
    inner = data.draw(st.sampled_from(t._arrays.inner))
    after = t.extend([(inner, "new"), (inner, "newer")])
    examples = stream(data, "HRLS", t)
    if features_of_x == "many":
        examples = [({**x, f"only here {i}": 1.0}, y) for i, (x, y) in enumerate(examples)]
    weights = data.draw(sample_weights)
    examples = [(*e, w) for e, w in zip(examples, weights, strict=False)]
    model = learned(learner("HRLS", t), examples)
    model.adopt(after)
    fresh = learned(learner("HRLS", after), examples)
    for x, y in stream(data, "HRLS", after):
        assert model.score_one(x) == near(fresh.score_one(x))
        # What is printed begins with the answer, from which `model` leaves out new labels.
        assert model.debug_one(x).splitlines()[1:2] == fresh.debug_one(x).splitlines()[1:2]
        model.learn_one(x, y)
        fresh.learn_one(x, y)


def test_new_siblings_were_off_in_all_examples_by_their_weights() -> None:
    """In primal variables, of which the sums are kept."""
    after, rng = T.extend([("a", "new")]), random.Random(1)
    examples = [
        ({k: rng.gauss(0.0, 1.0) for k in "xyz"}, {rng.choice("bce")}, rng.choice([0.5, 1.0, 3.0]))
        for _ in range(400)
    ]
    model = learned(learner("HRLS", T), examples)
    model.adopt(after)
    fresh = learned(learner("HRLS", after), examples)
    assert model.score_one({"x": 1.0, "y": -2.0}) == near(fresh.score_one({"x": 1.0, "y": -2.0}))


@given(st.data())
@n_examples(12)
def test_the_discriminant_is_as_if_the_taxonomy_had_always_been_this(data: Any) -> None:
    """But for the rates of labels, which are counted from steps that depend on the taxonomy."""
    t = data.draw(trees())
    after = data.draw(extensions(t))
    examples = stream(data, "Hieron", t)
    model = learned(probabilistic.LinearDiscriminant(t), examples)
    model.adopt(after)
    fresh = learned(probabilistic.LinearDiscriminant(after), examples)
    for x, y in stream(data, "Hieron", after, 5):
        found = []
        for either in (model, fresh):
            logs = either._rates.logs()
            found.append(
                [s - log for s, log in zip(either.score_one(x).values(), logs, strict=True)]
            )
        assert found[0] == near(found[1])
        model.learn_one(x, y)
        fresh.learn_one(x, y)


@pytest.mark.parametrize("name", [*KERNELS, "Averaged"])
@given(st.data())
@n_examples(12)
def test_kernel_models_change_as_their_linear_counterparts(name: str, data: Any) -> None:
    t = data.draw(trees())
    after = data.draw(extensions(t))
    examples = stream(data, name, t)
    kind = "Hieron" if name == "Averaged" else name
    model, other = getattr(kernel, kind)(t), learner(kind, t)
    if name == "Averaged":
        model, other = linear_model.Averaged(model), linear_model.Averaged(other)
    learned(model, examples)
    learned(other, examples)
    branch = data.draw(st.sampled_from(t.nodes))
    for either in (model, other):
        either.adopt(after)
        either.forget(branch)
    for x, y in stream(data, name, after, 5):
        assert model.score_one(x) == near(other.score_one(x))
        model.learn_one(x, y)
        other.learn_one(x, y)


def examples_of(name: str, t: Taxonomy = T, n: int = 40) -> list[Example]:
    labels = [t.nodes[1 + i * 3 % (len(t) - 1)] for i in range(n)]
    xs = [{"x": float(i % 7) - 3, "y": float(i % 5) - 2, i % 4: 1.0} for i in range(n)]
    ys: list[Any] = labels if name not in MULTI else [{y} for y in labels]
    return list(zip(xs, ys, strict=True))


@pytest.mark.parametrize("name", SINGLE + MULTI)
@pytest.mark.parametrize(
    ("after", "message"),
    [
        (T.subset(["a", "b", "c"]), "label 'd' is not in the new taxonomy; a model keeps all"),
        (T.extend([("b", "x"), ("c", "x")]), "node 'x' has 2 parents"),
        (T.extend([("d", "b")]), "label 'b' is not where it was .* but below 'a', 'd'; a model"),
        (Taxonomy([("top", "r"), *T.edges]), "label 'r' is not where it was .* but below 'top'"),
        (
            Taxonomy.from_nested({"r": {"a": ["c"], "d": ["e", "b"]}}),
            "label 'b' is not where it was in the new taxonomy, but below 'd'; a model keeps all",
        ),
        (T.flatten(), "label 'b' is not where it was in the new taxonomy, but below 'r'"),
        ("abc", "`taxonomy` must be a Taxonomy, got str"),
        (None, "`taxonomy` must be a Taxonomy, got NoneType"),
    ],
)
def test_a_rejected_adoption_changes_nothing(name: str, after: Any, message: str) -> None:
    if "parents" in message and name not in SINGLE:
        pytest.skip("this learner can do that")
    model = learned(learner(name, T), examples_of(name))
    before = pickle.dumps(model)
    with pytest.raises((ValueError, TypeError), match=message):
        model.adopt(after)
    assert pickle.dumps(model) == before


def test_kernel_least_squares_cannot_forget() -> None:
    model = learned(kernel.HRLS(T), examples_of("HRLS", n=5))
    with pytest.raises(TypeError, match=r"kernel\.HRLS cannot.*linear_model\.HRLS can"):
        model.forget("b")
    assert model.predict_one({}).keys() == set(T.nodes[1:])
    with pytest.raises(ValueError, match="label 'z' is not in the taxonomy"):
        kernel.Hieron(T).forget("z")


@pytest.mark.parametrize("name", SINGLE + MULTI)
def test_an_open_model_is_closed_by_a_tree_over_its_labels(name: str) -> None:
    model = learned(learner(name, None), examples_of(name))
    scores = model.score_one({"x": 1.0, 3: 2.0})
    model.adopt(model.taxonomy_.extend([("b", "new")]))
    with pytest.raises(ValueError, match="label 'z' is not in the taxonomy"):
        model.learn_one({"x": 1.0}, "z")
    kept = model.score_one({"x": 1.0, 3: 2.0})
    assert {label: kept[label] for label in "abcde"} == near(
        {label: scores[label] for label in "abcde"}
    )
    learned(model, examples_of(name))


def test_a_forgotten_node_leaves_the_system_of_its_siblings() -> None:
    """And new ones share that of the others."""
    model = learned(learner("HRLS", T), examples_of("HRLS"))
    other = copy.deepcopy(model)
    x = {"x": 1.5, "y": -1.0}
    before = model.score_one(x)
    model.forget("b")
    after = model.score_one(x)
    assert after.pop("b") == 0.0
    assert after == near({label: before[label] for label in after})
    for either in (model, other):
        either.adopt(T.extend([("a", "new")]))
    assert model.score_one(x)["new"] == near(other.score_one(x)["new"]) != 0.0
    model.forget("r")
    assert set(model.score_one(x).values()) == {0.0}
    learned(model, examples_of("HRLS"))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    "name", ["Hieron", "AveragedHieron", "PathSoftmax", "HPerceptron", "HAROW"]
)
def test_a_branch_of_hundreds_of_nodes(name: str, dtype: str) -> None:
    """Whether a feature has weights for few nodes or for most of them."""
    inner = [f"n{i}" for i in range(90)]
    t = Taxonomy([("r", v) for v in inner] + [(v, f"{v} {k}") for v in inner for k in "abc"])
    model: Any = getattr(linear_model, name)(t, dtype=dtype)
    for i, v in enumerate(t.nodes[1:] * 2):
        x = {"all": 1.0 + i % 7, f"rare {i % 40}": 1.0, f"branch {t.path(v)[1]}": 2.0}
        model.learn_one(x, {v} if name.startswith("HP") or name == "HAROW" else v)
    before, branch = model.weights, {"n77", "n77 a", "n77 b", "n77 c"}
    assert any(any(before[v].values()) for v in branch)
    model.forget("n77")
    after = model.weights
    for v in before:
        assert {k: w for k, w in after[v].items() if w} == (
            {} if v in branch else {k: w for k, w in before[v].items() if w}
        )


@pytest.mark.parametrize("name", [*SINGLE, "HAROW"])
def test_a_branch_of_a_long_chain(name: str) -> None:
    """Quadratic time would take many seconds."""
    n = 3_000
    model = learner(name, Taxonomy([(i, i + 1) for i in range(n)]))
    begun = time.process_time()
    for y in (n, n - 1, n // 2):
        model.learn_one({"x": 1.0}, y if name in SINGLE else {y})
    model.forget(n // 2)
    model.adopt(model.taxonomy.extend([(n, -1)]))
    assert time.process_time() - begun < 5.0
    assert len(model.score_one({"x": 1.0})) >= n


def test_every_model_shows_its_taxonomy() -> None:
    """Also wrappers, and also where it has grown or another one has been adopted."""
    shown = [
        m for m in estimators().values() if isinstance(getattr(m, "taxonomy_", None), Taxonomy)
    ]
    assert len(shown) > 25
    wrapped: Any = drift.BranchReset(linear_model.HAROW(OpenTaxonomy("/")))
    wrapped.learn_one({"x": 1.0}, {"a/b"})
    assert wrapped.taxonomy == OpenTaxonomy("/")
    assert wrapped.taxonomy_.nodes == ("", "a", "a/b")
    after = wrapped.taxonomy_.extend([("a", "a/c")])
    wrapped.adopt(after)
    assert wrapped.taxonomy_ == wrapped.taxonomy == after
