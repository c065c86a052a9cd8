"""The laws of the joints: what must hold of every model, whatever stands in front, behind, around.

One function a law. The models are those of `support.makers`, which also says what a model refuses.
"""

import copy
import doctest
import inspect
import itertools
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import active, base, compose, preprocessing
from scipy import sparse

from river_hier import Taxonomy, linear_model
from river_hier.base.answer import answer_of
from river_hier.batch.estimator import BatchEstimator
from river_hier.distributed import merge
from river_hier.feature_extraction import LogTFIDF, RandomFourierFeatures
from support.makers import NESTED, TABLE, Row, one, several, that
from support.public_api import LABELS, public
from support.river_checks import rivers_checks
from support.river_data import GENE_TREE
from support.river_data import TREE as RIVERS_TREE

TREE = Taxonomy.from_nested({"up": ["sky"], "down": {"ground": ["path", "grass", "cement"]}})
ALL = TABLE | NESTED
FEW = {*TABLE, *list(NESTED)[::5]}  # wrappers around wrappers and pools differ little


def each(names: Any) -> Any:
    """A case for each; those that a fast run can do without are slow."""
    slow = pytest.mark.slow
    cases = [name if name in FEW else pytest.param(name, marks=slow) for name in names]
    return pytest.mark.parametrize("name", cases)


EVERY = each(ALL)
FORESTS = ("ExtraTrees", "MultilabelExtraTrees")
Example = tuple[dict[int, float], Any]


def taxonomies(row: Row) -> Iterator[Any]:
    """A closed one and, unless the model refuses it, an open one."""
    yield TREE
    if "open" not in row.refuses:
        yield None


def stream(row: Row, n: int, seed: int = 1) -> list[Example]:
    """Numbers that are whole in either precision around a mean for each label."""
    rng, examples = random.Random(seed), []
    for i in range(n):
        y = LABELS[i] if i < len(LABELS) else rng.choice(LABELS)
        x = {j: float(np.float32(rng.gauss(LABELS.index(y) == j, 0.5))) for j in range(4)}
        examples.append((x, row.y(y)))
    return examples


def learned(model: Any, examples: Any) -> Any:
    for x, y, *w in examples:
        model.learn_one(x, y, *w)
    return model


def answers(row: Row, model: Any, xs: Any) -> list[Any]:
    """All that a model says of some x."""
    return [getattr(model, method)(x) for x in xs for method in row.methods]


def assert_same(ours: Any, theirs: Any, near: float = 1e-9) -> None:
    """Equal, but for rounding."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for key, value in ours.items():
            assert_same(value, theirs[key], near)
    elif isinstance(ours, list):
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other, near)
    elif isinstance(ours, float):
        assert ours == pytest.approx(theirs, rel=near, abs=near)
    else:
        assert ours == theirs


def test_every_public_model_is_in_the_table() -> None:
    classes = {type(row(TREE)) for row in TABLE.values()}
    for name, cls in public():
        if inspect.isclass(cls) and issubclass(cls, base.Classifier | base.MultiLabelClassifier):
            left_out = inspect.isabstract(cls) or issubclass(
                cls, BatchEstimator | active.base.ActiveLearningClassifier
            )
            assert left_out or cls in classes, f"tests/support/makers.py: add {name}"


# A. A transformer in front of a wrapper is one inside it.

TRANSFORMERS: dict[str, Callable[[], Any]] = {
    "Normalizer": preprocessing.Normalizer,
    "RandomFourierFeatures": lambda: RandomFourierFeatures(n_components=10, seed=1),
    "LogTFIDF": LogTFIDF,
}


@pytest.mark.slow(but=30)
@pytest.mark.parametrize("transformer", TRANSFORMERS)
@each(name for name in ALL if ALL[name].inside)
def test_a_transformer_may_stand_in_front_of_a_wrapper_or_inside(
    transformer: str, name: str
) -> None:
    row, make = ALL[name], TRANSFORMERS[transformer]
    assert row.inside
    if transformer == "LogTFIDF" and name.startswith("Replayed"):
        pytest.skip("texts that are replayed are counted again, as its docstring says")
    for taxonomy in taxonomies(row):
        if "pipeline" in row.refuses:
            with pytest.raises(TypeError, match=row.refuses["pipeline"]):
                row.make(make() | row.inside(taxonomy))
            continue
        before, inside = make() | row(taxonomy), row.make(make() | row.inside(taxonomy))
        examples: list[Any] = stream(row, 40)
        if transformer == "LogTFIDF":
            examples = [(text(x), y) for x, y in examples]
        for i, (x, y) in enumerate(examples):
            if i > 4:
                for method in ("predict_one", "predict_proba_one")[: len(row.methods)]:
                    assert_same(getattr(before, method)(x), getattr(inside, method)(x))
            learned(before, [(x, y)])
            learned(inside, [(x, y)])


def text(x: dict[int, float]) -> str:
    return " ".join(f"w{j}{round(2 * value)}" for j, value in x.items())


# B. A batch is its loop.

BATCHES: dict[str, Callable[[Any], Any]] = {
    "array": lambda X: X,
    "float32": lambda X: np.asfortranarray(X.astype(np.float32)),
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "pandas": pd.DataFrame,
    "polars": lambda X: pytest.importorskip("polars").DataFrame(X, schema=list("0123")),
    "sparse": sparse.csr_array,
}


def matrix(examples: list[Example]) -> tuple[Any, list[Any]]:
    X = np.array([list(x.values()) for x, _ in examples]).reshape(len(examples), 4)
    return X, [y for _, y in examples]


def as_read(examples: list[Example], kind: str) -> list[Example]:
    """What a loop learns from."""
    if kind == "sparse":
        return [({j: v for j, v in x.items() if v}, y) for x, y in examples]
    names = str if kind == "polars" else int
    return [({names(j): v for j, v in x.items()}, y) for x, y in examples]


@pytest.mark.slow(but=60)
@pytest.mark.parametrize("kind", BATCHES)
@EVERY
def test_a_batch_is_its_loop(name: str, kind: str) -> None:
    row, make = ALL[name], BATCHES[kind]
    given = {"columns": range(4)} if kind == "sparse" else {}
    for taxonomy in taxonomies(row):
        one, many = row(taxonomy), row(taxonomy)
        if "batch" in row.refuses:
            assert not hasattr(many, "learn_many")
            return
        examples = stream(row, 42)
        for x, _ in examples[::3]:
            x[1] = 0.0
        sizes = [1] * 30 if "loop" in row.refuses else [1, 1, 10, 0, 18]
        for a, z in itertools.pairwise(np.cumsum([0, *sizes]).tolist()):
            X, ys = matrix(examples[a:z])
            w = None if z % 2 or "weights" in row.refuses else [1 - i % 3 / 2 for i in range(z - a)]
            many.learn_many(make(X), ys, w=w, **given)
            rows = as_read(examples[a:z], kind)
            learned(one, rows if w is None else [(*e, v) for e, v in zip(rows, w, strict=True)])
        X, _ = matrix(examples[30:])
        xs = [x for x, _ in as_read(examples[30:], kind)]
        near = 1e-4 if kind == "float32" else 1e-9
        assert_same(answers(row, many, xs), answers(row, one, xs), near)
        compare_predictions(row, one, many, make(X), xs, given, near)


def compare_predictions(
    row: Row, one: Any, many: Any, X: Any, xs: Any, given: Any, near: float
) -> None:
    """The answers to a batch are those to its rows, in kind."""
    expected, found = [one.predict_one(x) for x in xs], many.predict_many(X, **given)
    like = type(X) if not sparse.issparse(X) else pd.DataFrame
    nodes = one.taxonomy_.nodes[row.several :]
    if row.several:
        assert isinstance(found, like)
        assert_same(np.array(found).tolist(), [list(y.values()) for y in expected], near)
    else:
        assert list(found) == expected
    if "answers" in row.refuses:
        return
    likely = np.array(many.predict_proba_many(X, **given), dtype=float)
    for p, x in zip(likely.tolist(), xs, strict=True):
        each = one.predict_proba_one(x)
        theirs = [each[v][True] if row.several else each.get(v, 0.0) for v in nodes]
        assert_same(p, theirs, near)


@pytest.mark.slow
@EVERY
def test_a_batch_of_a_thousand_rows_is_its_loop(name: str) -> None:
    row = ALL[name]
    if row.refuses.keys() & {"batch", "loop"}:
        pytest.skip("it scales blocks of rows alike, or learns no batches")
    for taxonomy in taxonomies(row):
        examples = stream(row, 1_000)
        one, many = learned(row(taxonomy), examples), row(taxonomy)
        many.learn_many(*matrix(examples))
        xs = [x for x, _ in examples[:5]]
        assert_same(answers(row, many, xs), answers(row, one, xs))


@pytest.mark.parametrize(
    ("name", "budget"),
    [("NewtonSoftmax", None)]
    + [(n, b) for n in ("DiscriminantNeighbors", *FORESTS) for b in (7, 60)],
)
@pytest.mark.parametrize("sizes", [(1, 30, 10), (40, 1, 33), (70,), (32, 32)])
def test_batches_of_any_size_are_their_loop(
    name: str, budget: int | None, sizes: tuple[int, ...]
) -> None:
    """However the rows are cut, though examples are replaced and updates come every 32 of them."""
    row, given = TABLE[name], {"budget": budget} if budget else {}
    one, many = (row(TREE).clone(given) for _ in range(2))
    examples = stream(row, sum(sizes))
    xs = [x for x, _ in examples[:5]]
    for a, z in itertools.pairwise(np.cumsum([0, *sizes]).tolist()):
        w = [i % 3 / 2 for i in range(z - a)]
        many.learn_many(*matrix(examples[a:z]), w)
        learned(one, [(*e, v) for e, v in zip(examples[a:z], w, strict=True)])
        assert_same(answers(row, many, xs), answers(row, one, xs))
        compare_predictions(row, one, many, matrix(examples[:5])[0], xs, {}, 1e-9)


@pytest.mark.slow(but=40)
@EVERY
@pytest.mark.parametrize("union", [False, True])
def test_a_list_of_texts_is_its_loop(name: str, union: bool) -> None:
    row = ALL[name]
    if row.refuses.keys() & {"batch", "loop"} or name.endswith(("Trees", "Neighbors")):
        pytest.skip("it learns no batches, or knows the features of a batch from its first row on")
    make = (lambda: LogTFIDF() + LogTFIDF(analyzer="char_wb")) if union else LogTFIDF
    examples = [(text(x), y) for x, y in stream(row, 30)]
    one, many = (learned(make() | row(TREE), examples[:1]) for _ in range(2))
    for a, z in ((1, 2), (2, 12), (12, 30)):
        learned(one, examples[a:z])
        many.learn_many([x for x, _ in examples[a:z]], [y for _, y in examples[a:z]])
    xs = [one.transform_one(x) for x, _ in examples[:5]]
    assert_same(answers(row, many[-1], xs), answers(row, one[-1], xs))
    found = np.array(many.predict_many([x for x, _ in examples[:5]])).tolist()
    theirs = [one.predict_one(x) for x, _ in examples[:5]]
    assert_same(found, [list(y.values()) for y in theirs] if row.several else theirs)


AROUND_PIPELINES = [
    name
    for name, row in ALL.items()
    if row.inside and not row.refuses.keys() & {"batch", "pipeline", "answers"}
]


@pytest.mark.parametrize("kind", ["texts", "dataframe"])
@each(AROUND_PIPELINES)
def test_a_batch_is_its_loop_through_a_pipeline_inside(name: str, kind: str) -> None:
    row = ALL[name]
    assert row.inside
    on = None if kind == "texts" else "text"
    make: Any = list if on is None else (lambda xs: pd.DataFrame(xs, columns=[on]))
    examples = [(text(x) if on is None else {on: text(x)}, y) for x, y in stream(row, 30)]
    refused = (float("nan") if on is None else {on: float("nan")}, examples[0][1])
    one, many = (row.make(LogTFIDF(on=on) | row.inside(TREE)) for _ in range(2))
    learned(one, examples)
    for a, z in ((0, 1), (1, 1), (1, 12), (12, 30)):
        many.learn_many(make([x for x, _ in examples[a:z]]), [y for _, y in examples[a:z]])
    xs, ys = zip(examples[0], refused, strict=True)
    with pytest.raises(ValueError, match="row 1: expected text") as error:
        many.learn_many(make(list(xs)), list(ys))
    assert error.value.n_learned == 1  # type: ignore[attr-defined]
    learned(one, examples[:1])
    for n in (0, 5):
        xs = [x for x, _ in examples[:n]]
        theirs = [one.predict_one(x) for x in xs]
        found = np.array(many.predict_many(make(xs))).tolist()
        assert_same(found, [list(y.values()) for y in theirs] if row.several else theirs)
    if on is None:
        series = pd.Series(xs, index=[3, 1, 4, 1, 5])
        assert many.predict_many(series).index.tolist() == [3, 1, 4, 1, 5]


# C. Groups of groups are merged as all at once.


PIPED = {
    "float32": one(lambda t: linear_model.PathSoftmax(t, dtype="float32")),
    "Hieron behind random features": one(
        lambda t: RandomFourierFeatures(n_components=8) | linear_model.Hieron(t)
    ),
    "HAROW behind a union": several(
        lambda t: (compose.Select(0, 1) + compose.Discard(0, 1)) | linear_model.HAROW(t)
    ),
}


@pytest.mark.slow(but=30)
@pytest.mark.parametrize("open_", [False, True])
@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize("name", TABLE | PIPED)
def test_merged_groups_are_the_merged_whole(name: str, started: bool, open_: bool) -> None:
    """In any order, whatever labels the parts know, and whatever they started from."""
    row, taxonomy = (TABLE | PIPED)[name], None if open_ else TREE
    if open_ and "open" in row.refuses:
        pytest.skip("it has no open taxonomy")
    start = learned(row(taxonomy), stream(row, 20, seed=9)) if started else None
    if "merge" in row.refuses:
        with pytest.raises(TypeError, match=row.refuses["merge"]):
            merge([learned(row(taxonomy), stream(row, 5, seed)) for seed in (1, 2)], start)
        return
    parts = []
    for k in range(4):
        mine = [row.y(LABELS[k]), row.y(LABELS[k - 1])]
        examples = [e for e in stream(row, 60 + 20 * k, seed=k) if e[1] in mine]
        parts.append(learned(copy.deepcopy(start) or row(taxonomy), examples))
    before = pickle.dumps((start, parts))
    near = 1e-5 if name == "float32" else 1e-7
    xs = [x for x, _ in stream(row, 6)]
    whole = [found(merge(parts, start), x) for x in xs]
    for order in itertools.islice(itertools.permutations(range(4)), 0, None, 4):
        of = [parts[k] for k in order]
        pairs = merge([merge(of[:2], start), merge(of[2:], start)], start)
        chain = merge([merge([merge(of[:2], start), of[2]], start), of[3]], start)
        for merged in (merge(of, start), pairs, chain):
            for x, theirs in zip(xs, whole, strict=True):
                assert_same(found(merged, x), theirs, near)
    assert pickle.dumps((start, parts)) == before
    learned(merged, stream(row, 5, seed=8))
    alone = merge(parts[:1], start)
    assert alone is not parts[0]
    assert pickle.dumps(alone) == pickle.dumps(copy.deepcopy(parts[0]))
    idle = merge([parts[0], copy.deepcopy(start) or row(taxonomy)], start)
    for x in xs:  # a model that has learned nothing does not count
        assert_same(found(idle, x), found(parts[0], x), near)


def found(model: Any, x: Any) -> Any:
    """The probabilities, which do not depend on the order of labels."""
    return dict(sorted(model.predict_proba_one(x).items()))


# What a form of an answer says does not depend on what it was asked before.

FORMS: list[Callable[[Any], Any]] = [
    lambda answer: answer.prediction(),
    lambda answer: answer.distribution(),
    lambda answer: answer.top(3, False, None),
    lambda answer: answer.probability(1),
    lambda answer: answer.marginals().tolist(),
]


@EVERY
def test_forms_of_an_answer_agree_in_any_order(name: str) -> None:
    row = ALL[name]

    def said(form: Any, answer: Any) -> Any:
        try:
            return form(answer)
        except NotImplementedError:
            return "scores"

    for taxonomy in taxonomies(row):
        model = learned(row(taxonomy), stream(row, 20))
        for x, _ in stream(row, 2, seed=2):
            alone = [said(form, answer_of(model, x)) for form in FORMS]
            for (i, first), (j, second) in itertools.permutations(enumerate(FORMS), 2):
                answer = answer_of(model, x)
                assert_same(said(first, answer), alone[i])
                assert_same(said(second, answer), alone[j])


# D. Refused is unchanged.

BAD_X = [{0: float("nan")}, {1: "red"}, {0: 1.0, "new": float("inf")}, {0: 1e200}]
BAD_W = [-1e-300, float("nan"), 1e13, "2", None, 10**400, [1.0]]


@EVERY
def test_refused_is_unchanged(name: str) -> None:
    row = ALL[name]
    for taxonomy in taxonomies(row):
        model = learned(row(taxonomy), stream(row, 20))
        before, good = state(model), row.y("sky")
        refused = [(x, good, 1.0) for x in BAD_X] + [({0: 1.0, "new": 2.0}, good, w) for w in BAD_W]
        if "bad x" in row.refuses:
            refused = refused[len(BAD_X) :]
        if taxonomy is TREE and "taxonomy" not in row.refuses:
            refused += [({0: 1.0, "new": 2.0}, row.y("unicorn"), 1.0)]
        refused += [({0: 1.0, "new": 2.0}, y, 1.0) for y in (None, row.y(None))]
        for x, y, w in refused:
            with pytest.raises((TypeError, ValueError, LookupError)):
                model.learn_one(x, y, w) if w != 1.0 else model.learn_one(x, y)
            assert state(model) == before, (x, y, w)


@each(AROUND_PIPELINES)
def test_refused_is_unchanged_around_a_pipeline(name: str) -> None:
    """Also the words of texts."""
    row = ALL[name]
    assert row.inside
    model = row.make(LogTFIDF() | row.inside(TREE))
    learned(model, [(text(x), y) for x, y in stream(row, 20)])
    before = state(model)
    for x, y, w in (
        ("blue", row.y("unicorn"), 1.0),
        (7, row.y("sky"), 1.0),
        ("blue", row.y("sky"), -1.0),
    ):
        if w == 1.0 or "weights" not in row.refuses:
            with pytest.raises((TypeError, ValueError, LookupError, AttributeError)):
                model.learn_one(x, y, w=w)
            assert state(model) == before, (x, y, w)


def state(model: Any) -> bytes:
    """Of two copies, as a pickle depends on which equal objects are one."""
    return pickle.dumps(pickle.loads(pickle.dumps(model)))


def rule_of(model: Any) -> str | None:
    """The method of a learner by which a subclass may decide what is learned."""
    return (
        "rule" if hasattr(model, "rule") else None if getattr(model, "_shared", True) else "stores"
    )


@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("name", [n for n in that("open") if rule_of(TABLE[n](None))])
def test_what_a_rule_refuses_adds_no_label(
    name: str, averaged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor a feature, whatever the rule is and whether hypotheses are averaged."""
    row = TABLE[name]
    learner: Any = type(row(None))
    if averaged and (not getattr(learner, "_averages", False) or row(None)._averaged):
        pytest.skip("its hypotheses are never averaged, or always")
    method: Any = rule_of(row(None))

    def rule(self: Any, *given: Any) -> Any:
        if self.refuses in self.taxonomy_:
            raise ArithmeticError("refused")
        return getattr(learner, method)(self, *given)

    own = {method: rule, "refuses": None, "__module__": __name__}
    refusing: Any = type(learner)("Refusing", (learner,), own)
    monkeypatch.setitem(globals(), "Refusing", refusing)  # where pickles look for it
    model, same = (learned(refusing(None), stream(row, 20)) for _ in range(2))
    if averaged:
        for one in (model, same):
            one._start_average(from_first_round=False)
    before = state(model)
    for label in ("sky", "unicorn"):
        refusing.refuses = label
        with pytest.raises(ArithmeticError, match="refused"):
            model.learn_one({"new": 2.0}, row.y(label))
        assert state(model) == before
    refusing.refuses = None
    examples = [*stream(row, 20, seed=2), ({0: 1.0, "new": 2.0}, row.y("unicorn"))]
    xs = [x for x, _ in examples]
    assert answers(row, learned(model, examples), xs) == answers(row, learned(same, examples), xs)


@pytest.mark.slow(but=45)
@pytest.mark.parametrize("name", that("batch"))
@pytest.mark.parametrize("bad", ["x", "y", "w"])
def test_a_refused_row_ends_the_batch(name: str, bad: str) -> None:
    """The rows before it are learned, and the error says how many."""
    row = TABLE[name]
    for taxonomy in taxonomies(row):
        examples = stream(row, 20)
        X, ys = matrix(examples)
        w: list[Any] = [1.0] * 20
        if bad == "x":
            X[15, 2] = np.nan
        elif bad == "y":
            ys[15] = row.y(None)
        else:
            w[15] = -1.0
        many = row(taxonomy)
        with pytest.raises((TypeError, ValueError, LookupError), match="row 15") as error:
            many.learn_many(X, ys, w=w if bad == "w" else None)
        assert vars(error.value)["n_learned"] == 15
        if "loop" in row.refuses:
            continue
        xs = [x for x, _ in examples[:5]]
        assert_same(answers(row, many, xs), answers(row, learned(row(taxonomy), examples[:15]), xs))


# E. Copies in mid-stream continue as the model does.

COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda model: model.clone(include_attributes=True),
    "deepcopy": copy.deepcopy,
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
}


@pytest.mark.slow(but=40)
@pytest.mark.parametrize("how", COPIES)
@EVERY
def test_copies_continue_as_the_model_does(name: str, how: str) -> None:
    row = ALL[name]
    for taxonomy in taxonomies(row):
        examples = stream(row, 50)
        xs = [x for x, _ in stream(row, 4, seed=2)]
        model = learned(row(taxonomy), examples[:25])
        before = answers(row, model, xs)
        copied = COPIES[how](model)
        assert type(copied) is type(model)
        assert_same(answers(row, copied, xs), before)
        learned(copied, examples[25:])
        assert_same(answers(row, model, xs), before)  # which have no part in common
        assert_same(answers(row, learned(model, examples[25:]), xs), answers(row, copied, xs))
        assert_same(answers(row, model.clone(), xs), answers(row, row(taxonomy), xs))


# F. River's checks.


@pytest.mark.slow(but=2)
@pytest.mark.parametrize("name", [name for name in ALL if name in FEW])
@pytest.mark.parametrize("open_", [False, True])
def test_rivers_checks(name: str, open_: bool) -> None:
    row = ALL[name]
    if open_ and "open" in row.refuses:
        pytest.skip("it has no open taxonomy")
    model = row(None if open_ else GENE_TREE if row.several else RIVERS_TREE)
    skips = model._unit_test_skips()
    if name == "Replayed of LogarithmicPool":
        # Rounding errors that are learned again move a probability of .0001 by a millionth.
        skips |= {"check_shuffle_features_no_impact"}
    for check in rivers_checks(model, skips):
        check(model.clone())


# G. A weight works at every position, as any number.


@pytest.mark.slow(but=15)
@EVERY
def test_weights_of_every_type_work_at_every_position(name: str) -> None:
    row = ALL[name]
    for taxonomy in taxonomies(row):
        (x, y), *examples = stream(row, 12)
        xs = [x for x, _ in examples]
        model = learned(row(taxonomy), examples)
        if "weights" in row.refuses:
            with pytest.raises(TypeError, match=row.refuses["weights"]):
                model.learn_one(x, y, w=2.0)
        else:
            heavy = learned(copy.deepcopy(model), [(x, y, 2.0)])
            expected = answers(row, heavy, xs)
            for args, kwargs in (
                ((x, y, 2), {}),
                ((x, y), {"w": np.float32(2.0)}),
                ((), {"x": x, "y": y, "w": np.int64(2)}),
            ):
                other = copy.deepcopy(model)
                other.learn_one(*args, **kwargs)
                assert_same(answers(row, other, xs), expected)
        expected = answers(row, learned(copy.deepcopy(model), [(x, y)]), xs)
        for w in (1, 1.0, True, np.bool_(True)):
            other = learned(copy.deepcopy(model), [(x, y, w)])
            assert_same(answers(row, other, xs), expected)
        for w in (0, 0.0, False, np.float32(0.0)):
            other = learned(copy.deepcopy(model), [({**x, "new": 1.0}, y, w)])
            assert state(other) == state(copy.deepcopy(model))


# H. A wrapper stands around an open taxonomy, a detector and a pool.


@pytest.mark.parametrize("name", [name for name in NESTED if "open" not in NESTED[name].refuses])
def test_wrappers_stand_around_models_of_several_parts(name: str) -> None:
    """They grow, adopt and forget with all that is inside; the other laws hold of them, too."""
    row = NESTED[name]
    model = learned(row(None), stream(row, 30))
    assert set(LABELS) < set(model.taxonomy_.nodes)
    before = model.taxonomy_
    model.adopt(before.extend([("sky", "blue")]))
    part = model
    while hasattr(part, "model"):
        part = part.model
        assert part.taxonomy_ is model.taxonomy_
    for _ in range(20):
        model.learn_one({0: 3.0, 5: 3.0}, row.y("blue"))
    if "answers" not in row.refuses:
        assert "blue" in model.predict_proba_one({5: 1.0})
    if "forget" not in row.refuses:
        model.forget("sky")
        assert model.predict_one({1: 1.0}) is not None


# I. With the root, a model forgets all that it has learned.


@each(n for n in ALL if not ALL[n].refuses.keys() & {"forget", "taxonomy"})
def test_a_model_that_has_forgotten_all_is_a_new_one(name: str) -> None:
    row = ALL[name]
    xs = [x for x, _ in stream(row, 6, seed=9)]
    model, fresh = learned(row(TREE), stream(row, 40)), row(TREE)
    model.forget(TREE.root)
    for seed, n in enumerate((0, 1, 30)):
        assert_same(
            *(answers(row, learned(one, stream(row, n, seed)), xs) for one in (model, fresh))
        )
    if "open" not in row.refuses:
        model = learned(row(None), stream(row, 20))
        before = model.taxonomy_
        model.forget(before.root)
        learned(model, stream(row, 20))
        assert model.taxonomy_ == before


# J. Misspelt keywords are found by type checkers, though River wants wrappers to accept any.

MISSPELT = """\
from river_hier import decision, drift, ensemble, linear_model
inside = linear_model.HAROW()
for model in (inside, decision.Calibrated(inside), drift.BranchReset(inside)):
    model.predict_one({}, threshold=0.5, max_depth=1)
inside.predict_one({}, treshold=0.5)
linear_model.Hieron().predict_one({}, max_dept=1)
decision.Calibrated(inside).predict_one({}, treshold=0.5)
decision.Calibrated(inside).predict_proba_one({}, treshold=0.5)
drift.BranchReset(inside).predict_one({}, treshold=0.5)
ensemble.LogarithmicPool([inside]).predict_one({}, treshold=0.5)
"""


@pytest.mark.slow
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_misspelt_keywords_are_found_by_type_checkers(checker: str, tmp_path: Path) -> None:
    pytest.importorskip(checker)
    (tmp_path / "misspelt.py").write_text(MISSPELT)
    found = subprocess.run(
        [sys.executable, "-m", checker, str(tmp_path / "misspelt.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    lines = re.findall(r"misspelt\.py:(\d+).*error: .*(?:tre?shold|max_dept)\b", found.stdout)
    assert lines == ["5", "6", "7", "8", "9", "10"], found.stdout + found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["pyright"]])
def test_the_program_of_the_readme_passes_type_checkers(checker: list[str], tmp_path: Path) -> None:
    pytest.importorskip(checker[0])
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    program = doctest.script_from_examples(readme)
    assert "predict_one(" in program
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", *checker, "program.py"], capture_output=True, text=True, cwd=tmp_path
    )
    assert found.returncode == 0, found.stdout + found.stderr
