"""Calibrated probabilities, and the best predictions under them."""

import itertools
import math
import re
import runpy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import base, naive_bayes, preprocessing
from river import linear_model as river_linear_model
from river import metrics as river_metrics

import oracles
from river_hier import Taxonomy, decision, inspection, linear_model, local, losses, metrics
from river_hier.datasets import synth
from support.paths import DATA, ROOT
from support.strategies import (
    dags,
    multilabel_streams,
    parents_of,
    sample_weights,
    single_label_streams,
    trees,
)

TREE = Taxonomy.from_nested({"r": {"a": {"b": ["c", "d", "e"]}, "f": ["g", "h"]}})
DAG = Taxonomy([("r", "a"), ("r", "b"), ("a", "c"), ("b", "c")])
DECODERS = ["HLossBayes", "ZeroOneBayes", "SymmetricDifferenceBayes"]


class FixedMultiLabel(base.MultiLabelClassifier):
    """A model with given P(on | parents on)."""

    def __init__(self, taxonomy: Taxonomy, given: dict[Any, float]) -> None:
        self.taxonomy = self._taxonomy = taxonomy
        self.given = given

    def learn_one(self, x: Any, y: Any, w: float = 1.0) -> None:
        pass

    def predict_proba_one(self, x: Any, **kwargs: Any) -> dict[Any, dict[bool, float]]:
        likely = {self.taxonomy.root: 1.0}
        for label in self.taxonomy.nodes[1:]:
            above = min(likely[parent] for parent in self.taxonomy.parents(label))
            likely[label] = self.given[label] * above
        del likely[self.taxonomy.root]
        return {label: {False: 1.0 - p, True: p} for label, p in likely.items()}


class FixedClassifier(base.Classifier):
    """A classifier with given probabilities."""

    def __init__(self, proba: dict[Any, float]) -> None:
        self.proba = proba

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: Any, y: Any) -> None:
        self.proba[y] = self.proba.get(y, 0.0) + 1.0

    def predict_proba_one(self, x: Any, **kwargs: Any) -> dict[Any, float]:
        return self.proba


@st.composite
def known(draw: st.DrawFn, among: Any = None) -> tuple[Taxonomy, dict[Any, float]]:
    """A taxonomy and probabilities, in eighths, so that ties are exact."""
    taxonomy = draw(trees(2, 6) if among is None else among)
    eighths = st.integers(0, 8).map(lambda i: i / 8)
    return taxonomy, {label: draw(eighths) for label in taxonomy.nodes[1:]}


def on(y: dict[Any, bool]) -> set[Any]:
    return {label for label, yes in y.items() if yes}


# The best of all multilabels, by enumeration


@given(known(), st.data())
def test_h_loss_bayes_has_the_least_expected_loss(example: Any, data: st.DataObject) -> None:
    t, p = example
    costs = data.draw(
        st.none() | st.dictionaries(st.sampled_from(t.nodes[1:]), st.sampled_from([0.5, 2.0, 3.0]))
    )
    answer = decision.HLossBayes(FixedMultiLabel(t, p), costs).predict_one({})
    assert tuple(answer) == t.nodes[1:]
    tree = parents_of(t)
    multilabels = [m - {t.root} for m in oracles.multilabels(tree)]
    assert on(answer) in multilabels
    best = min(oracles.expected_h_loss(tree, p, m, costs) for m in multilabels)
    assert losses.expected_h_loss(t, p, answer, costs) == pytest.approx(best, abs=1e-12)


def marginals_of(t: Taxonomy, share: dict[Any, float]) -> Any:
    """P(on), P(all parents on) and P(on | the least probable parent on) of a distribution."""
    p = {v: math.fsum(s for y, s in share.items() if v in y) for v in t}
    q = {v: math.fsum(s for y, s in share.items() if y.issuperset(t.parents(v))) for v in t}
    least = oracles.least_of_parents(parents_of(t), p)
    return p, q, {v: p[v] / least[v] if p[v] else 0.0 for v in t.nodes[1:]}


@given(dags(3, 6), st.data())
def test_h_loss_bayes_in_a_dag_is_not_worse_than_no_label(t: Taxonomy, data: st.DataObject) -> None:
    """Under any distribution with the model's probabilities, however parents depend."""
    dag = parents_of(t)
    multilabels = [frozenset(y) for y in oracles.multilabels(dag)]
    n = len(multilabels)
    weights = data.draw(st.lists(st.integers(0, 8), min_size=n, max_size=n).filter(any))
    share = {y: w / sum(weights) for y, w in zip(multilabels, weights, strict=True)}
    costs = data.draw(
        st.none() | st.dictionaries(st.sampled_from(t.nodes[1:]), st.sampled_from([0.5, 2.0, 3.0]))
    )

    def expected(pred: Any) -> float:
        return sum(s * oracles.h_loss(dag, y, pred, costs) for y, s in share.items())

    p, q, likely = marginals_of(t, share)
    least = oracles.least_of_parents(dag, p)
    for y in multilabels:
        assert oracles.h_loss_of_marginals(dag, p, q, y, costs) == pytest.approx(expected(y))
        assert expected(y) <= oracles.h_loss_of_marginals(dag, p, least, y, costs) + 1e-9
    answer = on(decision.HLossBayes(FixedMultiLabel(t, likely), costs).predict_one({}))
    assert answer | {t.root} in multilabels
    assert expected(answer) <= expected(set()) + 1e-9


@pytest.mark.parametrize(
    ("concentration", "least", "most"), [(0.1, 0.97, 1.003), (1.0, 0.87, 1.02)]
)
def test_h_loss_bayes_in_a_dag_finds_nearly_the_least_expected_loss(
    concentration: float, least: float, most: float
) -> None:
    rng = np.random.default_rng(0)
    found = []
    for _ in range(200):
        parents = {v: rng.choice(v, min(v, rng.integers(1, 4)), replace=False) for v in range(1, 8)}
        t = Taxonomy([(int(u), v) for v, above in parents.items() for u in above])
        dag = parents_of(t)
        multilabels = [frozenset(y) for y in oracles.multilabels(dag)]
        shares = rng.dirichlet(np.full(len(multilabels), concentration)).tolist()
        p, q, likely = marginals_of(t, dict(zip(multilabels, shares, strict=True)))
        answer = on(decision.HLossBayes(FixedMultiLabel(t, likely)).predict_one({}))
        values = [oracles.h_loss_of_marginals(dag, p, q, y) for y in (answer, *multilabels)]
        found.append((values[0], min(values)))
    ours, best = np.array(found).T
    assert np.mean(ours < best + 1e-9) > least
    assert ours.mean() < most * best.mean()


@given(known())
def test_zero_one_bayes_is_the_most_probable_multilabel(example: Any) -> None:
    t, p = example
    answer = decision.ZeroOneBayes(FixedMultiLabel(t, p)).predict_one({})
    tree = parents_of(t)
    best = max(oracles.probability(tree, p, m) for m in oracles.multilabels(tree))
    assert oracles.probability(tree, p, on(answer) | {t.root}) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize(("most_parents", "counts"), [(1, True), (3, False), (3, True)])
def test_zero_one_bayes_finds_nearly_the_most_probable_multilabel(
    most_parents: int, counts: bool
) -> None:
    """In a tree always; also with factors, of nodes whose children have no other parents."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(200):
        few = rng.integers(1, most_parents + 1, size=8)
        parents = {v: rng.choice(v, min(v, few[v]), replace=False) for v in range(1, 8)}
        t = Taxonomy([(int(u), v) for v, above in parents.items() for u in above])
        p = dict(zip(t.nodes[1:], rng.random(7).tolist(), strict=True))
        model, dag = decision.ZeroOneBayes(FixedMultiLabel(t, p)), parents_of(t)
        factors = {}
        if counts:
            model._counts = rng.choice([0.5, 3.0, 40.0], size=(8, 7))
            factors = {
                u: oracles.factors_of(row[:3], row[3:6])
                for u, row in zip(t.nodes, model._counts.tolist(), strict=True)
                if t.children(u) and all(len(dag[v]) == 1 for v in t.children(u))
            }
        answer = on(model.predict_one({})) | {t.root}
        every = oracles.multilabels(dag)
        best = max(oracles.joint_probability(dag, p, m, factors) for m in every)
        shares.append(oracles.joint_probability(dag, p, answer, factors) / best)
    assert np.mean(np.array(shares) > 1 - 1e-9) > (0.98 if most_parents > 1 else 0.999)
    assert np.mean(shares) > 0.998


def test_examples_count_by_their_weights() -> None:
    """The model learns nothing, and so expects the same of all."""
    p = dict(zip(TREE.nodes[1:], (0.1 * k for k in range(1, 9)), strict=False))
    heavy, often = (decision.ZeroOneBayes(FixedMultiLabel(TREE, p)) for _ in range(2))
    for y in ({"c", "d"}, {"g"}):
        heavy.learn_one({}, y, w=3.0)
        for _ in range(3):
            often.learn_one({}, y)
    assert heavy._counts[:, :6] == pytest.approx(often._counts[:, :6])


def test_wrappers_forget_the_nodes_of_a_branch_and_no_others() -> None:
    counted = decision.ZeroOneBayes(decision.Calibrated(linear_model.HAROW(TREE)))
    for x, y in synth.LinearLabels(TREE, seed=1).take(50):
        counted.learn_one(x, y)
    tables = [lambda: counted._counts, lambda: counted.model._calibration.saved()[1]]
    before = [table().copy() for table in tables]
    counted.forget("a")
    branch = [TREE.index(v) for v in ("a", *TREE.descendants("a"))]
    others = np.setdiff1d(np.arange(len(TREE)), branch)
    for table, old, new in zip(tables, before, (0.0, [0.0, 1.0, 0.0, 1.0]), strict=True):
        assert (old[TREE.index("a")] != new).any()
        assert (table()[branch] == new).all()
        assert (table()[others] == old[others]).all()


def test_nodes_without_examples_can_be_forgotten_and_edited_in_a_calibration() -> None:
    model = decision.Calibrated(linear_model.HAROW(TREE))
    *examples, (x, _) = synth.LinearLabels(TREE, seed=1).take(51)
    for x_before, y in examples:
        model.learn_one(x_before, y)
    before = model.predict_proba_one(x)
    model.adopt(TREE.extend([("a", "new")]))
    model.forget("new")
    model.adopt(model.taxonomy_.edit([{"move": "new", "to": "f"}]))
    after = model.predict_proba_one(x)
    assert after.pop("new")[True] == 0.0
    assert after == before


@given(known(), st.sampled_from([0.5, 1.0, 3.0]), st.sampled_from([0.5, 1.0, 3.0]))
def test_symmetric_difference_bayes_has_the_least_expected_loss(
    example: Any, missed: float, spurious: float
) -> None:
    t, p = example
    answer = decision.SymmetricDifferenceBayes(FixedMultiLabel(t, p), missed, spurious).predict_one(
        {}
    )
    tree = parents_of(t)
    multilabels = [m - {t.root} for m in oracles.multilabels(tree)]
    assert on(answer) in multilabels

    def expected(y: set[Any]) -> float:
        return oracles.expected_symmetric_difference_loss(tree, p, y, None, missed, spurious)

    assert expected(on(answer)) == pytest.approx(min(map(expected, multilabels)), abs=1e-12)


@given(known(), st.sampled_from([0.5, 1.0, 2.0]))
def test_hf_beta_bayes_has_the_greatest_expected_f(example: Any, beta: float) -> None:
    t, p = example
    answer = on(decision.HFBetaBayes(FixedMultiLabel(t, p), beta).predict_one({}))
    tree = parents_of(t)

    def value(y: set[Any]) -> float:
        return oracles.expected_hf_beta(tree, p, y, beta)

    multilabels = [m - {t.root} for m in oracles.multilabels(tree)]
    assert answer in multilabels
    assert value(answer) == pytest.approx(max(map(value, multilabels)), abs=1e-12)


@given(known(), st.integers(1, 3), st.integers(1, 2))
def test_the_best_labels_have_the_greatest_expected_precision(
    example: Any, k: int, depth: int
) -> None:
    """Precision at k, of the nodes at one depth."""
    t, p = example
    tree, level = parents_of(t), [v for v in t.nodes if t.depth(v) == depth]
    best = inspection.top_one(FixedMultiLabel(t, p), {}, k, depth=depth)
    found = oracles.expected_shared(tree, p, {path[-1] for path, _ in best})
    others = itertools.combinations(level, min(k, len(level)))
    assert found == pytest.approx(max(oracles.expected_shared(tree, p, set(m)) for m in others))


@given(known(trees(2, 4)), st.lists(st.integers(0, 8), min_size=3, max_size=3), st.data())
def test_symmetric_difference_bayes_has_the_best_f_measure(
    example: Any, eighths: list[int], data: st.DataObject
) -> None:
    """Of two examples with these probabilities, by enumeration of all pairs of multilabels."""
    t, p = example
    q = dict(zip(t.nodes[1:], [i / 8 for i in eighths], strict=False))
    beta2 = data.draw(st.sampled_from([0.25, 1.0, 4.0]))
    models = [FixedMultiLabel(t, given) for given in (p, q)]
    likely = [{v: each[True] for v, each in m.predict_proba_one({}).items()} for m in models]
    n_true = sum(sum(each.values()) for each in likely)

    def value(pair: Any) -> float:
        both = sum(each[v] for each, y in zip(likely, pair, strict=True) for v in y)
        whole = beta2 * n_true + sum(map(len, pair))
        return (1.0 + beta2) * both / whole if whole else 0.0

    multilabels = [m - {t.root} for m in oracles.multilabels(parents_of(t))]
    best = max(map(value, itertools.product(multilabels, repeat=2)))
    if best:
        missed = max((1.0 + beta2) / best - 1.0, 1e-9)
        decided = [decision.SymmetricDifferenceBayes(m, missed).predict_one({}) for m in models]
        assert value([on(y) for y in decided]) == pytest.approx(best)


@given(trees(1 + 1, 9), st.data())
def test_the_nearest_node_comes_first(t: Taxonomy, data: st.DataObject) -> None:
    eighths = st.integers(0, 8).map(lambda i: i / 8)
    said = data.draw(st.dictionaries(st.sampled_from(t.nodes), eighths))
    expected = [sum(p * t.distance(u, v) for u, p in said.items()) for v in t.nodes]
    answer = decision.TreeBayes(FixedClassifier(said), t).predict_one({})
    assert answer == t.nodes[expected.index(min(expected))]


# Calibration, step by step


@given(multilabel_streams(), sample_weights)
def test_calibrated_step_by_step(stream: Any, weights: Any) -> None:
    t, examples = stream
    model = decision.Calibrated(linear_model.HAROW(t))
    alone = linear_model.HAROW(t)
    oracle, has_learned = oracles.Calibration(), False
    for (x, y), w in zip([*examples, *examples], [*weights, *weights], strict=False):
        scores = alone.score_one(x)
        likely = {t.root: 1.0}
        for v in t.nodes[1:]:
            likely[v] = oracle.given(v, scores[v]) * min(likely[p] for p in t.parents(v))
        answer = {v: p[True] for v, p in model.predict_proba_one(x).items()}
        assert answer == pytest.approx({v: likely[v] for v in t.nodes[1:]}, abs=1e-9)
        model.learn_one(x, y, w)
        alone.learn_one(x, y, w)
        truth = t.closure(y | {t.root})
        trained = [v for v in t.nodes[1:] if all(p in truth for p in t.parents(v))]
        if w and has_learned:
            oracle.learn({v: scores[v] for v in trained}, {v: v in truth for v in trained}, w)
        has_learned |= w > 0  # scores from before the first example say nothing


@given(single_label_streams(), sample_weights)
def test_tempered_step_by_step(stream: Any, weights: Any) -> None:
    t, examples = stream
    model = decision.Tempered(linear_model.Hieron(t))
    alone = linear_model.Hieron(t)
    oracle = oracles.Temperatures()
    for (x, y), w in zip([*examples, *examples], [*weights, *weights], strict=False):
        scores = alone.score_one(x)
        assert model.predict_proba_one(x) == pytest.approx(oracle.probabilities(scores), abs=1e-6)
        assert model.predict_one(x) == alone.predict_one(x)
        model.learn_one(x, y, w)
        alone.learn_one(x, y, w)
        if w:
            oracle.learn(scores, y, w)


def test_the_first_example_of_a_label_moves_no_temperature() -> None:
    model = decision.Tempered(linear_model.Hieron())
    for label, moves in (("a", False), ("b", False), ("a", True), ("c", False), ("c", True)):
        before = model._temperatures.slopes
        model.learn_one({label: 1.0, "any": 0.5}, label)
        assert (model._temperatures.slopes != before) == moves, label


def test_calibration_does_not_depend_on_the_scale_of_features() -> None:
    stream = synth.LinearLabels(TREE, n_features=5, seed=1)
    models = {unit: decision.Calibrated(linear_model.HPerceptron(TREE)) for unit in (1.0, 1e6)}
    for x, y in stream.take(300):
        answers = []
        for unit, model in models.items():
            large = {name: unit * value for name, value in x.items()}
            answers.append([p[True] for p in model.predict_proba_one(large).values()])
            model.learn_one(large, y)
        assert answers[0] == pytest.approx(answers[1], abs=1e-6)


def test_an_outlier_does_not_change_the_scale_for_long() -> None:
    """Without clipping, its score would set the scale of all later scores."""
    stream = synth.LinearLabels(TREE, n_features=3, seed=1)
    single = decision.Tempered(linear_model.AveragedHieron(TREE))
    several = decision.Calibrated(linear_model.HPerceptron(TREE))
    loss, off = river_metrics.CrossEntropy(), 0.0
    for i, (x, _) in enumerate(stream.take(900)):
        if i == 300:
            x = {0: 1e6, 1: 0.0, 2: 0.0}  # its label is easy
        y = "b" if x[0] > 0 else "f"
        if i > 600:
            loss.update(y, single.predict_proba_one(x))
            off += abs(several.predict_proba_one(x)["b"][True] - (y == "b"))
        single.learn_one(x, y)
        several.learn_one(x, {y})
    assert loss.get() < 0.12, loss
    assert off / 300 < 0.12


def test_costs_of_labels_that_have_not_arrived() -> None:
    model = decision.HLossBayes(linear_model.HAROW(), {"late": 9.0})
    same = decision.HLossBayes(linear_model.HAROW())
    answers = []
    for label in ["early"] * 3 + ["late"] + ["early", "late"] * 5:
        for one in (model, same):
            one.learn_one({"x": 1.0}, {label})
        answers.append((model.predict_one({"x": 1.0}), same.predict_one({"x": 1.0})))
    assert all(mine == other for mine, other in answers[:3])
    assert list(answers[-1][0]) == ["early", "late"]
    with pytest.raises(ValueError, match=r"`costs\['late'\]` must be a positive finite number"):
        decision.HLossBayes(linear_model.HAROW(), {"late": -1.0})
    with pytest.raises(TypeError, match=r"`costs` must be {label: number}, got list"):
        decision.HLossBayes(linear_model.HAROW(), [1.0])  # type: ignore[arg-type]


def test_y_may_be_an_iterator() -> None:
    model = decision.Calibrated(linear_model.HAROW(TREE))
    same = decision.Calibrated(linear_model.HAROW(TREE))
    for x, y in synth.LinearLabels(TREE, seed=1).take(20):
        model.learn_one(x, iter(on(y)))
        same.learn_one(x, on(y))
        assert model.predict_proba_one(x) == same.predict_proba_one(x)


# Losses


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "rcv1").is_dir(), reason=f"no RCV1 files in {DATA / 'rcv1'}")
def test_losses_on_real_documents(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The benchmark prints the documented figures, and the goal is reached."""
    path = ROOT / "examples" / "benchmarks" / "rcv1.py"
    monkeypatch.setattr("sys.argv", [str(path), "--data", str(DATA)])
    runpy.run_path(str(path), run_name="__main__")
    row = re.compile(r"^(.+?) +(0.\d+) +(\d.\d+) +(\d.\d+) +(0.\d+)$", re.MULTILINE)
    printed = capsys.readouterr().out
    rows = row.findall(printed)
    page = (ROOT / "docs" / "accuracy.md").read_text("utf-8")
    documented = row.findall(page.partition("examples/benchmarks/rcv1.py")[2])[: len(rows)]
    assert [name for name, *_ in rows] == [name for name, *_ in documented]
    for (name, *ours), (_, *theirs) in zip(rows, documented, strict=True):
        assert [*map(float, ours)] == pytest.approx([*map(float, theirs)], abs=0.002), name
    h_loss = {name: float(values[1]) for name, *values in rows[8:]}
    assert h_loss["  H-loss"] < 0.95 * h_loss["H-SVM (batch)"]
    errors = re.findall(r"calibration error: (.+)% uncalibrated, (.+)% calibrated", printed)
    assert len(errors) == 2
    assert all(float(after) < 0.05 * float(before) for before, after in errors)


def test_calibrated_probabilities_match_frequencies() -> None:
    stream = synth.LinearLabels(TREE, n_features=10, seed=3)
    model = decision.Calibrated(linear_model.HAROW(TREE))
    off = {"model": 0.0, "calibrated": 0.0}
    for i, (x, y) in enumerate(stream.take(4_000)):
        if i >= 2_000:
            truth = stream.probabilities(x)
            for name, each in (("model", model.model), ("calibrated", model)):
                p = each.predict_proba_one(x)
                off[name] += abs(p["a"][True] - truth["a"]) + abs(p["f"][True] - truth["f"])
        model.learn_one(x, y)
    assert off["calibrated"] / 4_000 < 0.06
    assert off["calibrated"] < 0.55 * off["model"]


class Silent(base.Classifier):
    """A classifier that has no answer yet."""

    def learn_one(self, x: Any, y: Any) -> None: ...

    def predict_one(self, x: Any) -> Any:
        return None


def test_tree_bayes_answers_with_the_root_if_the_classifier_has_no_answer() -> None:
    t = Taxonomy.from_nested({"r": {"a": ["b", "c"]}})
    model: Any = decision.TreeBayes(Silent(), t)  # type: ignore[arg-type]
    assert model.predict_one({}) == model.predict_one({}, threshold=0.5) == "r"
    metric = metrics.TreeInducedError(t)
    metric.update("b", Silent().predict_one({}))
    assert metric.get() == losses.tree_induced_error(t, "b", "r") == 2.0


# River


# Bad input


def test_bad_models() -> None:
    message = "`model` must be a model in a taxonomy with `predict_proba_one`"
    for model in (naive_bayes.GaussianNB(), None, 3, linear_model.HAROW):
        for name in DECODERS:
            with pytest.raises(TypeError, match=message):
                getattr(decision, name)(model)
    for single in (
        linear_model.Hieron(TREE),
        preprocessing.StandardScaler() | linear_model.Hieron(),
    ):
        with pytest.raises(
            TypeError,
            match=r"`model` must predict multilabels, .* for single labels use `TreeBayes`$",
        ):
            decision.HLossBayes(single)
        with pytest.raises(TypeError, match=r"for single labels use `Tempered`$"):
            decision.Calibrated(single)
    with pytest.raises(TypeError, match=r"for multilabels use `Calibrated`$"):
        decision.Tempered(linear_model.HAROW(TREE))
    with pytest.raises(
        TypeError, match="in a taxonomy with `score_one` and `predict_one`, as those"
    ):
        decision.Calibrated(naive_bayes.GaussianNB())


def test_parameters() -> None:
    model = linear_model.HAROW(TREE)
    with pytest.raises(ValueError, match=r"label 'x' is not in the taxonomy"):
        decision.HLossBayes(model, {"x": 1.0})
    with pytest.raises(ValueError, match=r"`costs\['a'\]` must be a positive finite number, got 0"):
        decision.HLossBayes(model, {"a": 0})
    with pytest.raises(ValueError, match="`missed` must be positive, got -1"):
        decision.SymmetricDifferenceBayes(model, missed=-1)
    with pytest.raises(ValueError, match="'c' has 2 parents"):
        decision.TreeBayes(naive_bayes.GaussianNB(), DAG)
    for wrong, shown in (
        (3, "3"),
        (naive_bayes.GaussianNB, "<class .*GaussianNB'>"),
        (linear_model.HAROW(TREE), "HAROW; for multilabels use `HLossBayes`$"),
        (preprocessing.StandardScaler() | river_linear_model.LinearRegression(), "StandardScaler "),
    ):
        with pytest.raises(TypeError, match=f"^`classifier` must be a classifier, got {shown}"):
            decision.TreeBayes(wrong, TREE)  # type: ignore[arg-type]


@pytest.mark.parametrize("p", [-0.5, 1.5, math.nan, math.inf])
def test_invalid_probabilities_of_a_model(p: float) -> None:
    model = FixedMultiLabel(TREE, {**dict.fromkeys(TREE.nodes, 0.5), "a": p})
    for decide in (decision.HLossBayes, decision.ZeroOneBayes, decision.SymmetricDifferenceBayes):
        with pytest.raises(ValueError, match="the model gives 'a' the probability"):
            decide(model).predict_one({})


def test_invalid_probabilities_of_a_classifier() -> None:
    for p in (-0.5, math.nan, math.inf):
        with pytest.raises(ValueError, match="the classifier gives 'a' the probability"):
            decision.TreeBayes(FixedClassifier({"a": p}), TREE).predict_one({})
    with pytest.raises(ValueError, match=r"label 'x' is not in the taxonomy"):
        decision.TreeBayes(FixedClassifier({"x": 0.5}), TREE).predict_one({})
    model = decision.TreeBayes(FixedClassifier({}), TREE)
    assert model.predict_one({}) == "r"
    with pytest.raises(ValueError, match=r"label 'x' is not in the taxonomy"):
        model.learn_one({}, "x")
    assert model.predict_proba_one({}) == {}


def test_tempered_decisions_in_batches() -> None:
    """Whatever decides inside, a row at a time or all at once."""
    t = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e", "f"]}})
    X = pd.DataFrame([{"x": 1.0, "z": 0.1}, {"x": 0.1, "z": 1.0}])
    for inside in (linear_model.Hieron(t), preprocessing.Normalizer() | linear_model.Hieron(t)):
        model = decision.Tempered(decision.Selective(inside, risk=0.3, window=10))
        for _ in range(10):
            model.learn_one({"x": 1.0}, "b")
            model.learn_one({"z": 1.0}, "e")
        assert model.predict_many(X).tolist() == ["b", "e"]
        assert model.predict_many(X, max_depth=1).tolist() == ["a", "d"]


def test_what_has_no_scores_inside_cannot_be_calibrated() -> None:
    t = Taxonomy([("r", "a"), ("r", "b")])
    decoder = decision.HLossBayes(local.PerNode(river_linear_model.LogisticRegression(), t))
    with pytest.raises(TypeError, match="`score_one`"):
        decision.Calibrated(decoder)
    assert decision.Calibrated(decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t))))


def test_costs_follow_new_names() -> None:
    t = Taxonomy.flat(["a", "b", "c"])
    model = decision.HLossBayes(decision.Calibrated(linear_model.HAROW(t)), costs={"a": 3.0})
    model.adopt(t.edit([{"rename": "a", "to": "A"}], old_labels=False))
    assert model.costs == {"A": 3.0}
    assert model.predict_labels_one({}) == []
