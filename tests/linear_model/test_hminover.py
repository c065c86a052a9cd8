"""Label ranking: the online ranker, and what River makes of it."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from river import dummy, preprocessing

import oracles
from river_hier import Taxonomy, datasets, evaluate, linear_model, losses, metrics
from river_hier._core import LinearState, closure_of, closure_sums
from river_hier.linear_model.rankings import label_attributes
from support.hypothesis_settings import n_examples
from support.paths import DATA
from support.rankings import BAD_CANDIDATES, candidates_of, listed, separable
from support.strategies import features, multilabels, parents_of, reals, taxonomies

NEAR = 1e-9
TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c"), ("b", "d")])

halves = st.integers(-4, 4).map(lambda i: i / 2)  # so that ties come often


@given(taxonomy=taxonomies())
def test_closures(taxonomy: Taxonomy) -> None:
    arrays = taxonomy._arrays
    for v, label in enumerate(taxonomy.nodes):
        expected = sorted(map(taxonomy.index, taxonomy.closure([label])))
        assert closure_of(v, arrays).tolist() == expected
    values = np.arange(len(taxonomy)) ** 2.0
    sums = [values[closure_of(v, arrays)].sum() for v in range(len(values))]
    assert closure_sums(values, arrays).tolist() == sums


@pytest.mark.parametrize(("candidates", "error", "message"), BAD_CANDIDATES)
def test_bad_candidates(candidates: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        linear_model.HMinOver(TREE, candidates=candidates)


# --- The online ranker --------------------------------------------------------------------------


@st.composite
def streams(draw: st.DrawFn) -> Any:
    """A taxonomy, what a ranker is told about it, and examples."""
    taxonomy = draw(taxonomies())
    attributes = st.dictionaries(st.sampled_from(taxonomy.nodes), st.sampled_from([0.0, 0.5, 2.0]))
    parameters = {
        "margin": draw(st.sampled_from([0.5, 1.0, 8.0])),
        "t": draw(attributes),
        "candidates": draw(candidates_of(taxonomy)),
    }
    example = st.tuples(features(), multilabels(taxonomy))
    return taxonomy, parameters, draw(st.lists(example, max_size=12))


def oracle_of(taxonomy: Taxonomy, parameters: dict[str, Any]) -> oracles.HMinOver:
    told = {**parameters, "candidates": listed(taxonomy, parameters["candidates"])}
    return oracles.HMinOver(parents_of(taxonomy), **told)


# Powers of 2, by which products are exact.
powers = st.lists(st.sampled_from([1.0, 1.0, 0.5, 2.0]), min_size=12, max_size=12)


@given(stream=streams(), pickle_at=st.integers(0, 12), weights=powers)
@n_examples(50)
def test_hminover(stream: Any, pickle_at: int, weights: Any) -> None:
    taxonomy, parameters, examples = stream
    ours = linear_model.HMinOver(taxonomy, **parameters)
    theirs = oracle_of(taxonomy, parameters)
    for step, (x, y) in enumerate(examples):
        scores = theirs.scores(x)  # sums of halves: to the last bit
        assert ours.score_one(x) == scores
        assert list(ours.score_one(x)) == list(taxonomy.nodes[1:])
        threshold = theirs.threshold(x)
        assert ours.threshold_one(x) == pytest.approx(threshold, rel=1e-6, abs=1e-6)
        answer = ours.predict_one(x)
        if all(abs(s - threshold) > 1e-6 * (1 + abs(s)) for s in theirs.ranked(x).values()):
            assert answer == theirs.predict(x)
        on = {label for label, yes in answer.items() if yes}
        assert taxonomy.closure(on) == {taxonomy.root, *on}, "closed upward"
        for label, p in ours.predict_proba_one(x).items():
            assert p[False] + p[True] == pytest.approx(1.0)
            for parent in taxonomy.parents(label):
                above = ours.predict_proba_one(x).get(parent, {True: 1.0})[True]
                assert p[True] <= above + NEAR
        ours.learn_one(x, y, weights[step])
        theirs.learn(x, y, weights[step])
        for label, w in ours.weights.items():
            for name in w.keys() | theirs.w[label].keys():
                assert w.get(name, 0.0) == theirs.w[label].get(name, 0.0)
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))


class InPython(linear_model.HMinOver):
    def rule(self, margin: float, gamma: int) -> float:
        return super().rule(margin, gamma)


@given(
    stream=streams(),
    more=st.data(),
    dtype=st.sampled_from(["float64", "float32"]),
    open_=st.booleans(),
    weights=powers,
)
@n_examples(100)
def test_the_rule_in_python_equals_the_compiled_policy(
    stream: Any, more: Any, dtype: str, open_: bool, weights: Any
) -> None:
    taxonomy, parameters, examples = stream
    if open_:
        taxonomy, parameters = None, {"margin": parameters["margin"], "t": 0.5}
    assert InPython._policy is None
    ours = InPython(taxonomy, dtype=dtype, **parameters)
    theirs = linear_model.HMinOver(taxonomy, dtype=dtype, **parameters)
    assert theirs._policy is not None
    new = more.draw(st.lists(st.sampled_from(["new 1", "new 2", "new 3"]), max_size=3, unique=True))
    for step, (x, y) in enumerate(examples):
        if step == 6 and not open_ and new:
            grown = taxonomy.extend([(more.draw(st.sampled_from(taxonomy.nodes)), v) for v in new])
            ours.adopt(grown)
            theirs.adopt(grown)
        if step > 6 and not open_ and new:
            y = more.draw(multilabels(grown))
        ours.learn_one(x, y, weights[step])
        theirs.learn_one(x, y, weights[step])
        assert ours.weights == theirs.weights
        assert ours._state.n == theirs._state.n
        assert ours._unseen == theirs._unseen
        np.testing.assert_allclose(ours._threshold.a, theirs._threshold.a, rtol=1e-12)
        np.testing.assert_allclose(ours._threshold.b, theirs._threshold.b, rtol=1e-12, atol=1e-12)
    batch = linear_model.HMinOver(taxonomy, dtype=dtype, **parameters)
    if 0 < len(examples) <= 6:
        rows = pd.DataFrame([x for x, _ in examples]).fillna(0.0)
        batch.learn_many(rows, [y for _, y in examples], w=weights[: len(examples)])
        assert batch.weights == theirs.weights


@given(stream=streams(), x=features(numbers=reals), open_=st.booleans())
@n_examples(50)
def test_compiled_answers_equal_the_equations(stream: Any, x: Any, open_: bool) -> None:
    taxonomy, parameters, examples = stream
    if open_:
        taxonomy, parameters = None, {"t": 0.5}
    model = linear_model.HMinOver(taxonomy, **parameters)
    for example in examples:
        model.learn_one(*example)
    if open_ and examples:
        model.adopt(model.taxonomy_.extend([("root", "an unseen one")]))
    told = model._taxonomy, model.t, model.candidates, model._unseen
    ranking = label_attributes(*told)
    scores = ranking.scores(model._state.scores(x))
    threshold = model._threshold.at(scores[ranking.candidates])
    assert list(model.score_one(x).values()) == pytest.approx(scores[1:].tolist())
    assert model.threshold_one(x) == pytest.approx(threshold, rel=1e-6, abs=1e-6)
    on = ranking.answer(scores, model.threshold_one(x))
    if examples:
        assert list(model.predict_one(x).values()) == on[1:].tolist()


@given(stream=streams(), x=features(numbers=reals))
@n_examples(25)
def test_probabilities_say_what_predictions_say(stream: Any, x: Any) -> None:
    taxonomy, parameters, examples = stream
    model = linear_model.HMinOver(taxonomy, **parameters)
    for example in examples:
        model.learn_one(*example)
    threshold = model.threshold_one(x)
    if any(abs(s - threshold) <= 1e-6 for s in model.score_one(x).values()):
        return  # rounding decides, as where nothing has been learned
    likely = {label: p[True] > 0.5 for label, p in model.predict_proba_one(x).items()}
    assert likely == model.predict_one(x)


@given(stream=streams(), x=features(numbers=reals))
@n_examples(25)
def test_a_step_widens_the_margin_by_its_size(stream: Any, x: Any) -> None:
    """The pair's margin grows by Delta sum_v t_v^2 ||x||^2 over the differing nodes: the law of
    the update, and nothing moves where the margin was met."""
    taxonomy, parameters, examples = stream
    model, oracle = linear_model.HMinOver(taxonomy, **parameters), oracle_of(taxonomy, parameters)
    for example in examples:
        model.learn_one(*example)
        oracle.learn(*example)
    y = {taxonomy.nodes[-1]}
    pair = oracle.worst_pair(x, y)
    before, scores = model.weights, model.score_one(x)
    model.learn_one(x, y)
    after = model.score_one(x)
    if pair is None:
        assert model.weights == before
        return
    margin = scores[pair[0]] - scores[pair[1]]
    assume(abs(margin - model.margin) > NEAR)
    if margin > model.margin:
        assert model.weights == before
        return
    differing = taxonomy.closure([pair[0]]) ^ taxonomy.closure([pair[1]])
    t = parameters["t"]
    gain = len(differing) * sum(t.get(v, 1.0) ** 2 for v in differing)
    gain *= sum(value**2 for value in x.values())
    assert after[pair[0]] - after[pair[1]] == pytest.approx(margin + gain)
    moved = {label for label, w in model.weights.items() if w != before[label]}
    assert moved <= differing


@given(taxonomy=taxonomies(4), seed=st.integers(0, 99), margin=st.sampled_from([0.5, 4.0]))
@n_examples(10)
def test_the_perceptron_bound(taxonomy: Taxonomy, seed: int, margin: float) -> None:
    """Each step w += Delta dPhi is made at <w, dPhi> < c. If <u, dPhi> >= 1 for every pair, then
    sum Delta <= <u, w> <= ||u|| ||w|| and ||w||^2 <= sum Delta (2 c + max Delta ||dPhi||^2), so
    sum Delta <= ||u||^2 (2 c + max Delta ||dPhi||^2), however often the examples come again."""
    examples = separable(taxonomy, 20, seed)
    parents = parents_of(taxonomy)
    model = linear_model.HMinOver(taxonomy, margin=margin)
    oracle = oracles.HMinOver(parents, margin=margin)
    total = longest = 0.0
    for x, y in 6 * examples:
        before, pair = model.weights, oracle.worst_pair(x, y)
        model.learn_one(x, y)
        oracle.learn(x, y)
        if model.weights != before:
            delta = oracles.pair_loss(parents, *pair)
            total += delta
            longest = max(longest, delta**2 * oracles.dot(x, x))  # ||dPhi||^2 = Delta ||x||^2
    norm2_of_u = len(oracles.leaves(parents))  # u: of each leaf the feature that tells it
    assert total <= norm2_of_u * (2 * margin + longest) + NEAR
    norm2_of_w = sum(value**2 for w in model.weights.values() for value in w.values())
    assert norm2_of_w <= total * (2 * margin + longest) + NEAR


def test_repetition_brings_every_margin() -> None:
    taxonomy = Taxonomy.from_nested({"a": {"b": ["c", "d"], "e": ["f", "g"]}, "h": ["i", "j"]})
    model = linear_model.HMinOver(taxonomy, margin=2.0)
    examples = separable(taxonomy, 60, seed=1)
    for x, y in 40 * examples:
        model.learn_one(x, y)
    for x, y in examples:
        scores = {v: s for v, s in model.score_one(x).items() if v in taxonomy.leaves}
        low = min(scores[v] for v in y)
        assert low - max(s for v, s in scores.items() if v not in y) >= 2.0
        assert losses.ranking_loss(taxonomy, y, model.score_one(x)) == 0.0


@pytest.mark.parametrize("y", [set(), {"a"}, {"b", "c", "d"}, {"r": False}])
def test_without_a_pair_only_the_threshold_learns(y: Any) -> None:
    model = linear_model.HMinOver(TREE)
    for example in [({"x": 1.0}, "b"), ({"x": -1.0, "y": 0.5}, "d")]:
        model.learn_one(*example)
    before, threshold = model.weights, model.threshold_one({"x": 1.0})
    model.learn_one({"x": 1.0}, y)
    assert model.weights == before
    assert model.threshold_one({"x": 1.0}) != threshold


def test_a_score_at_the_threshold_counts_as_on() -> None:
    model = linear_model.HMinOver(DAG)
    model.learn_one({}, DAG.leaves)
    assert all(model.predict_one({"x": 1.0}).values()), "all scores are 0"


def test_halving_delta_is_doubling_the_margin() -> None:
    """What the documentation says of the paper's experiments."""
    rng = np.random.default_rng(1)
    parents = parents_of(DAG)
    model = linear_model.HMinOver(DAG, margin=2.0)
    halved = oracles.HMinOver(parents, margin=1.0)
    for _ in range(50):
        x = {name: float(v) for name, v in zip("abc", rng.integers(-3, 4, 3), strict=True)}
        y = [DAG.leaves[int(rng.integers(len(DAG.leaves)))]]
        pair, ranked = halved.worst_pair(x, y), halved.ranked(x)
        if ranked[pair[0]] - ranked[pair[1]] < 1.0:
            up, down = (oracles.closure(parents, [v]) for v in pair)
            for v in up ^ down:
                oracles.add(halved.w[v], (1 if v in up else -1) * len(up ^ down) / 2, x)
        model.learn_one(x, y)
        assert model.score_one(x) == {v: 2 * s for v, s in halved.scores(x).items()}


def test_attributes_of_zero_make_a_flat_scorer_with_the_trees_losses() -> None:
    flat = linear_model.HMinOver(TREE, t=dict.fromkeys(TREE._arrays.inner, 0.0))
    for x, y in [({"x": 1.0}, "b"), ({"x": -1.0, "y": 0.5}, "d"), ({"y": 1.0}, "c")] * 3:
        flat.learn_one(x, y)
    assert flat.weights["a"] == {}
    assert flat.weights["b"]


@given(
    stream=st.lists(st.tuples(features(), st.sets(st.sampled_from(["a", "b", 3]))), max_size=15),
    probe=features(),
)
@n_examples(20)
def test_an_open_taxonomy_scores_labels_that_arrive(stream: Any, probe: Any) -> None:
    model = linear_model.HMinOver()
    assert (
        model.predict_one(probe) == model.score_one(probe) == model.predict_proba_one(probe) == {}
    )
    arrived: dict[Any, None] = {}
    for x, y in stream:
        model.learn_one(x, y)
        arrived |= dict.fromkeys(y)
        assert set(model.predict_one(probe)) == set(model.score_one(probe)) == set(arrived)
    assert model.taxonomy is None
    # From here on it is what it would be had it known the labels.
    closed = linear_model.HMinOver(Taxonomy.flat(model.score_one(probe)))
    closed._state = LinearState(closed._labels, *model._state.saved()[1:])
    closed._threshold = copy.deepcopy(model._threshold)
    for x, y in stream:
        model.learn_one(x, y)
        closed.learn_one(x, y)
    if arrived:
        assert model.score_one(probe) == closed.score_one(probe)
        assert model.predict_one(probe) == closed.predict_one(probe)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"margin": 0.0}, "`margin` must be positive, got 0.0"),
        ({"margin": math.nan}, "`margin` must be positive, got nan"),
        ({"margin": "1"}, "`margin` must be positive, got '1'"),
        ({"t": -1.0}, "`t` must be a finite number of at least 0, got -1.0"),
        ({"t": None}, "`t` must be a finite number of at least 0, got None"),
        ({"t": {"b": math.nan}}, r"`t\['b'\]` must be a finite number of at least 0, got nan"),
        ({"t": {"x": 1.0}}, "label 'x' is not in the taxonomy"),
        ({"taxonomy": None, "t": {"b": 1.0}}, "`t` and `candidates` .* need a taxonomy, got None"),
        ({"taxonomy": None, "candidates": ["b"]}, "`candidates` .* need a taxonomy, got None"),
    ],
)
def test_bad_parameters(parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        linear_model.HMinOver(**{"taxonomy": TREE, **parameters})


@pytest.mark.parametrize("size", [1e-140, 1e-3, 1e30, 1e140])
def test_thresholds_of_any_size(size: float) -> None:
    model = linear_model.HMinOver(TREE)
    for _ in range(5):
        model.learn_one({"x": size}, "b")
        model.learn_one({"y": size, "z": size / 7}, "d")
    assert model.predict_one({"x": size}) == {"a": True, "d": False, "b": True, "c": False}


def test_debug_one_tells_the_rule() -> None:
    model = linear_model.HMinOver(TREE)
    for _ in range(3):
        model.learn_one({"fur": 1.0}, "b")
        model.learn_one({"fins": 1.0}, "d")
    text = model.debug_one({"fur": 1.0})
    assert text.startswith("Prediction: ['a', 'b']; a candidate is on if its score reaches")
    assert "'b': +" in text
    assert "fur +" in text


# --- River --------------------------------------------------------------------------------------


def test_ranked_refuses_what_has_no_scores() -> None:
    prior = dummy.PriorClassifier()
    for model in (prior, preprocessing.Normalizer() | prior, linear_model.HMinOver):
        with pytest.raises(TypeError, match="`model` must have a `score_one`, as the models"):
            evaluate.Ranked(model)


def test_a_margin_that_is_just_met_is_enough() -> None:
    for margin, weight in ((4.0, 2.0), (4.5, 4.0)):
        model = linear_model.HMinOver(Taxonomy.flat(["p", "q"]), margin=margin)
        for _ in range(2):  # a step makes the margin 2 * 2: both labels move by Delta = 2
            model.learn_one({"a": 1.0}, ["p"])
        assert model.weights == {"p": {"a": weight}, "q": {"a": -weight}}


@pytest.mark.skipif(not (DATA / "rcv1").is_dir(), reason=f"no RCV1 files in {DATA / 'rcv1'}")
def test_ranking_topics_of_rcv1() -> None:
    stream = datasets.RCV1(str(DATA / "rcv1"))
    t = stream.taxonomy
    model = linear_model.HMinOver(t, margin=10.0)
    precision, answers = metrics.AveragePrecision(t), metrics.HF1(t)
    for i, (x, y) in enumerate(stream.take(2000)):
        if i >= 1000 and any(y[v] for v in t.leaves):
            precision.update(y, model.score_one(x))
            answers.update(y, model.predict_one(x))
        model.learn_one(x, y)
    assert precision.get() > 0.7
    assert answers.get() > 0.55


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("t", [1e20, {"b": 1e100}])
def test_scores_that_overflow_are_compared_all_the_same(t: Any) -> None:
    """Neither inf - inf nor 0 * inf is computed."""
    examples = [({"x": 1e144, "y": -1e144, "z": 1.0}, {"d"}), ({"x": -1e144}, {"b"})]
    with np.errstate(over="ignore", invalid="raise"):
        model = linear_model.HMinOver(TREE, t=t)
        for x, y in examples * 3:
            model.learn_one(x, y)
        xs = [x for x, _ in examples]
        table = pd.DataFrame(xs).fillna(0.0)
        for x, on, p in zip(
            xs,
            model.predict_many(table).to_dict("records"),
            model.predict_proba_many(table).to_dict("records"),
            strict=True,
        ):
            scores = model.score_one(x)
            assert all(map(math.isfinite, scores.values()))
            assert max(map(abs, scores.values())) == 1e300
            assert on == model.predict_one(x)
            assert p == {label: q[True] for label, q in model.predict_proba_one(x).items()}
            assert on["d"] == (x["x"] > 0.0)
            assert on["b"] == (x["x"] < 0.0)


def test_candidates_and_attributes_follow_new_names() -> None:
    t = Taxonomy.flat(["a", "b", "c"])
    model = linear_model.HMinOver(t, candidates=["a", "c"], t={"a": 2.0})
    model.learn_one({"x": 1.0}, {"a"})
    scores = list(model.score_one({"x": 1.0}).values())
    model.adopt(t.edit([{"rename": "a", "to": "A"}], old_labels=False))
    assert list(model.score_one({"x": 1.0}).values()) == scores
    assert model.clone().candidates == ["A", "c"]
    assert model.clone().t == {"A": 2.0}
