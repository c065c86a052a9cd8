"""scikit-learn's checks, searches, validation and pipelines with our models."""

import pickle
import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import compose, naive_bayes, preprocessing
from scipy import sparse

pytest.importorskip("sklearn", reason="scikit-learn is an extra")
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.multiclass import check_classification_targets

from river_hier import (
    Below,
    OpenTaxonomy,
    Taxonomy,
    decision,
    ensemble,
    evaluate,
    feature_extraction,
    forest,
    inspection,
    linear_model,
    metrics,
    probabilistic,
)
from river_hier._core import learned_before
from river_hier.sklearn import HierarchicalClassifier, scorer
from support import makers

WORDS = {
    "men > shirts": "denim shirt",
    "men > shoes > boots": "leather boots",
    "men > shoes": "laces",
    "women > shirts": "silk shirt",
}
PATHS = list(WORDS) * 12
TEXTS = [f"{WORDS[path]} {i % 7} words" for i, path in enumerate(PATHS)]
LEVELS = [path.split(" > ") for path in PATHS]
PADDED = [[*path, None, None][:3] for path in LEVELS]
TREE = Taxonomy.from_paths(PATHS, separator=" > ", labels="path")
HAROW = decision.HLossBayes(decision.Calibrated(linear_model.HAROW()))


ORDER = {  # the scale of features is that of the first row, and steps depend on the order of rows
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}
NO_WEIGHTS = {"check_sample_weights_list", "check_sample_weights_not_overwritten"}
# What single models do otherwise, and why.
ONE = "check_classifiers_multilabel_output_format_predict_proba"  # must be below 1
BOTH = "check_classifier_multioutput"  # a label is on where its probability is above 1/2
OTHERWISE = {
    **{name: {ONE} for name in ("HRLS", "SHRLS", "kernel HRLS", "kernel SHRLS")},  # cut at 1
    "HPerceptron": {BOTH},  # a score of 0 is on, with probability 1/2
    "ZeroOneBayes": {BOTH},  # the likeliest set
    "HFBetaBayes": {BOTH},  # the set of the largest expected F
    # River's Normalizer divides by the norm of a row of zeros.
    "Calibrated pipeline": {"check_estimators_dtypes"},
    "SymmetricDifferenceBayes pipeline": {"check_estimators_dtypes"},
}
# The models that cannot be checked, and why.
WITHOUT = {
    **dict.fromkeys(
        ["Selective", "Selective HAROW", "Selective foreign"], "is silent where it is not sure"
    ),
    **dict.fromkeys(["TreeBayes", "TreeBayes naive"], "is made in a taxonomy, not in that of y"),
    **dict.fromkeys(["Ranked", "Probabilities"], "its answers, for metrics, are no labels"),
}


class OneOfSeveral(HierarchicalClassifier):
    """A model of several labels in checks of one: it learns sets, and answers with one label."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(X, self.sets(y), sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        return super().partial_fit(X, self.sets(y), None, sample_weight)

    def sets(self, y: Any) -> Any:
        if y is None or np.asarray(y)[:1].size > 1:
            return y
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")  # or scikit-learn casts infinities, which warns
        check_classification_targets(y)
        return [{label} for label in y.tolist()]

    def predict_proba(self, X: Any) -> Any:
        p = super().predict_proba(X)
        return p / p.sum(axis=1, keepdims=True) if self._form == "sets" else p

    def predict(self, X: Any) -> Any:
        if getattr(self, "_form", "") != "sets":
            return super().predict(X)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


CHECKED = ["default", *(v for v in makers.TABLE if v not in WITHOUT)]
FAST = {"PathSoftmax", "HAROW"}


@pytest.mark.parametrize(
    "name", [v if v in FAST else pytest.param(v, marks=pytest.mark.slow) for v in CHECKED]
)
def test_scikit_learns_checks(name: str) -> None:
    row = makers.TABLE.get(name)
    kind = OneOfSeveral if row and row.several else HierarchicalClassifier
    found = check_estimator(kind(row and row(None)), on_fail=None, on_skip=None)
    failed = {one["check_name"]: one["exception"] for one in found if one["status"] == "failed"}
    expected = NO_WEIGHTS if row and "weights" in row.refuses else set()
    assert len(found) > 60
    assert failed.keys() - ORDER == expected | OTHERWISE.get(name, set()), failed


def test_tags_tell_models_of_several_labels() -> None:
    models = None, linear_model.HAROW(), linear_model.PathSoftmax()
    tags = [HierarchicalClassifier(m).__sklearn_tags__() for m in models]
    assert [one.target_tags.single_output for one in tags] == [True, False, True]
    assert [one.classifier_tags.multi_label for one in tags] == [True, True, False]


def texts(**parameters: Any) -> Any:
    return make_pipeline(TfidfVectorizer(), HierarchicalClassifier(**parameters))


@pytest.mark.parametrize(
    "y",
    [
        LEVELS,
        pd.Series(LEVELS),
        pd.DataFrame(PADDED),
        pd.DataFrame(PADDED).fillna(np.nan),
        np.array([[name or "" for name in path] for path in PADDED]),
        np.array(PADDED, dtype=object),
    ],
)
def test_levels(y: Any) -> None:
    """In any form, with any padding; the predictions have the form of HiClass."""
    model = texts().fit(TEXTS, y)
    assert model.score(TEXTS, y) == 1.0
    assert model.predict(TEXTS[:3]).tolist() == [
        ["men", "shirts", ""],
        ["men", "shoes", "boots"],
        ["men", "shoes", ""],
    ]
    assert model.predict(TEXTS[1:2]).shape == (1, 3)  # nothing is filled up
    assert model.classes_.tolist() == sorted(tuple(path) for path in LEVELS[:4])
    assert model.predict_proba(TEXTS).sum(axis=1) == pytest.approx(1.0)
    assert model[-1].model_.taxonomy_.height == 3


def test_weights_belong_to_their_rows() -> None:
    """`fit` shuffles the rows: those of weight 0, whose labels are wrong, are not learned."""
    X = np.eye(4)[np.arange(80) % 4]
    wrong = np.arange(80) % 8 < 4
    y = np.where(wrong, np.roll(PATHS[:4], 1)[np.arange(80) % 4], np.array(PATHS[:4] * 20))
    model = HierarchicalClassifier(linear_model.PathSoftmax(), separator=" > ")
    model.fit(X, y, sample_weight=np.where(wrong, 0.0, 1.0))
    assert model.predict(np.eye(4)).tolist() == PATHS[:4]


@pytest.mark.parametrize(
    ("model", "n_passes", "expected"),
    [
        ("default", None, 3),
        ("default", 2, 2),
        ("PathSoftmax", None, 3),
        ("Tempered", None, 1),
        ("Tempered", 3, 3),
    ],
)
def test_passes(model: str, n_passes: Any, expected: int) -> None:
    """Each has another order, and temperatures learn in the first one only."""
    X, y = sparse.csr_array(np.random.default_rng(0).random((48, 6))), np.array(PATHS)
    softmax: Any = linear_model.PathSoftmax(TREE, margin=1.0)
    if model == "Tempered":
        softmax = decision.Tempered(softmax)
    given = None if model == "default" else softmax
    found = HierarchicalClassifier(given, TREE, n_passes=n_passes, random_state=7)
    found.fit(X, y)
    rng, slopes = np.random.RandomState(7), []
    for k in range(expected):
        order = rng.permutation(48)
        with learned_before if k else nullcontext():
            softmax.learn_many(X[order], y[order])
        tempered = model == "Tempered"
        slopes.append([*(softmax._temperatures.slopes if tempered else softmax._state.learned)])
    assert slopes == slopes[:1] * expected
    p = np.asarray(softmax.predict_proba_many(X)[found.classes_])
    p = p / p.sum(axis=1, keepdims=True)
    assert np.allclose(found.predict_proba(X), p, rtol=0.0, atol=1e-12)


def test_paths_and_names() -> None:
    model = texts(separator=" > ").fit(TEXTS, PATHS)
    assert model.score(TEXTS, PATHS) == 1.0
    assert set(model.predict(TEXTS)) == set(PATHS)
    assert model.score(TEXTS[:2], ["men > shirts", "never seen"]) == 0.5
    assert model[-1].model_.taxonomy_ == TREE
    names = [path[-1] for path in LEVELS]
    named = Taxonomy.from_nested({"men": {"shoes": ["boots"]}, "both": ["shirts"]})
    model = texts(taxonomy=named).fit(TEXTS, names)
    assert model.score(TEXTS, names) == 1.0
    levels = [[*named.path(name)[1:]] for name in names]
    assert texts(taxonomy=named).fit(TEXTS, levels).score(TEXTS, levels) == 1.0


def test_the_score_is_weighted() -> None:
    model = texts(separator=" > ").fit(TEXTS, PATHS)
    y = [PATHS[0], "men", "women", "never seen"]  # the first is right
    assert model[-1].score(model[0].transform(TEXTS[:4]), y, [3.0, 1.0, 0.0, 2.0]) == 0.5


@pytest.mark.parametrize(
    "given", [{"separator": " > "}, {"taxonomy": TREE}, {"taxonomy": OpenTaxonomy(" > ")}]
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_levels_with_a_separator(given: Any, method: str) -> None:
    model = HierarchicalClassifier(linear_model.PathSoftmax(), **given)
    X = np.eye(len(WORDS))[np.arange(len(PATHS)) % len(WORDS)]
    getattr(model, method)(X, LEVELS)
    assert [list(filter(None, path)) for path in model.predict(X).tolist()] == LEVELS
    assert model.score(X, PADDED) == 1.0
    deep = [["a"] * 65] * len(X)
    if method == "partial_fit" and given.get("taxonomy") is not TREE:
        with pytest.raises(ValueError, match=r"row 0: label .* has 65 levels"):
            model.partial_fit(X, deep)


def test_the_width_of_levels_is_that_of_the_widest_part() -> None:
    model, X = HierarchicalClassifier(linear_model.PathSoftmax()), np.eye(3)
    model.partial_fit(X, [["a", "b", "c"], ["a", "d", ""], ["e", "", ""]])
    for _ in range(9):
        model.partial_fit(X[1:], [["a", "d"], ["e", ""]])
    assert model.predict(X[1:]).tolist() == [["a", "d", ""], ["e", "", ""]]


def test_several_labels() -> None:
    sets = [{path, "women"} if i % 3 else {path} for i, path in enumerate(PATHS)]
    texts_ = [f"{text} lady" if i % 3 else text for i, text in enumerate(TEXTS)]
    model = texts(separator=" > ").fit(texts_, sets)
    assert model.score(texts_, sets) > 0.6  # one pass over few rows
    assert model.predict(texts_)[0] == {"men", "men > shirts"}
    on = pd.DataFrame({v: [v in TREE.closure(y) for y in sets] for v in TREE.nodes[1:]})
    for y in (on, on.astype(int).to_numpy(), sparse.csr_array(on.to_numpy())):
        model = texts(taxonomy=TREE if y is on else None).fit(texts_, y)
        assert model.predict(texts_).shape == model.predict_proba(texts_).shape == on.shape
        assert (model.predict(texts_) == np.asarray(on)).mean() > 0.9
        assert scorer(metrics.HF1(TREE))(model, texts_, on) > 0.9 if y is on else True
    with pytest.raises(ValueError, match="y holds levels, and HLossBayes takes several"):
        texts(model=HAROW).fit(TEXTS, LEVELS)
    with pytest.raises(ValueError, match="y holds sets, and PathSoftmax takes one label a row"):
        texts(model=linear_model.PathSoftmax()).fit(TEXTS, sets)


@pytest.mark.parametrize("form", ["labels", "paths", "levels", "sets", "matrix"])
def test_in_parts(form: str) -> None:
    X = TfidfVectorizer().fit_transform(TEXTS)
    y: Any = {
        "labels": [path.replace(" > ", "") for path in PATHS],
        "paths": PATHS,
        "levels": LEVELS,
        "sets": [{path} for path in PATHS],
        "matrix": np.array([[path == other for other in WORDS] for path in PATHS]),
    }[form]
    separator = " > " if form in ("paths", "sets") else None
    model = HierarchicalClassifier(separator=separator)
    for i in range(0, 48, 3):
        model.partial_fit(X[i : i + 3], y[i : i + 3])
    assert model.score(X, y) > 0.9
    assert len(model.classes_) == 4
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()
    assert not hasattr(clone(model), "model_")
    if form == "levels":
        closed = HierarchicalClassifier().partial_fit(X, y, classes=y[:4])
        with pytest.raises(ValueError, match="'hats'"):
            closed.partial_fit(X[:1], [["men", "hats"]])
        with pytest.raises(ValueError, match="y must hold levels, as in the first call, got lab"):
            closed.partial_fit(X[:1], ["men"])


def test_a_later_label_has_its_place_among_the_sorted_ones() -> None:
    """Where metrics of scikit-learn look for its probabilities."""
    X, y = np.repeat(np.eye(3), 20, axis=0), np.repeat(["b", "c", "a"], 20)
    model = HierarchicalClassifier().partial_fit(X[:40], y[:40]).partial_fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert get_scorer("neg_log_loss")(model, X, y) > -0.5
    assert get_scorer("roc_auc_ovr")(model, X, y) == 1.0


def test_a_refused_part_adds_no_class_but_those_that_were_learned() -> None:
    X, closed = np.eye(4), HierarchicalClassifier(taxonomy=Taxonomy.flat("abcd"))
    closed.partial_fit(X[:1], ["b"])
    with pytest.raises(ValueError, match="row 1: label 'z'"):
        closed.partial_fit(X, ["a", "z", "a", "b"])
    assert closed.classes_.tolist() == ["a", "b"]
    levels = HierarchicalClassifier().partial_fit(X, LEVELS[:4], classes=LEVELS[:4])
    with pytest.raises(ValueError, match="'sandals'"):
        levels.partial_fit(X[:1], [["men", "shoes", "sandals", "red"]])
    assert levels.predict(X).shape == (4, 3)
    assert len(levels.classes_) == 4


@pytest.mark.parametrize("model", [linear_model.PathSoftmax(), linear_model.HierarchicalSoftmax()])
def test_probabilities_where_all_classes_have_none(model: Any) -> None:
    tree = Taxonomy.from_nested({"r": {"a": ["b", "c"]}})
    found = HierarchicalClassifier(model, tree).fit(np.eye(2), ["b", "c"])
    X = np.full((1, 2), -1e6)  # an inner node has all of it
    assert found.predict(X)[0] not in found.classes_
    assert found.predict_proba(X).tolist() == [[0.5, 0.5]]


def test_searches_and_validation() -> None:
    models = [linear_model.PathSoftmax(prior_variance=v) for v in (0.1, 1.0)]
    models.append(linear_model.AveragedHieron())
    grid = {"hierarchicalclassifier__model": models, "tfidfvectorizer__sublinear_tf": [True]}
    error = scorer(metrics.TreeInducedError(TREE))
    search = GridSearchCV(texts(taxonomy=TREE), grid, scoring=error, cv=3).fit(TEXTS, PATHS)
    assert search.best_score_ == 0.0
    assert models[1]._labels.has_learned is False
    assert cross_val_score(texts(separator=" > "), TEXTS, PATHS).mean() == 1.0
    assert (cross_val_predict(texts(), TEXTS, PATHS) == PATHS).all()


@pytest.mark.slow
def test_validation_in_several_processes() -> None:
    assert cross_val_score(texts(separator=" > "), TEXTS, PATHS, n_jobs=2).mean() == 1.0


def test_parameters_of_the_model_in_a_search():
    X, y = np.eye(4)[np.arange(80) % 4], np.array(PATHS[:4] * 20)
    grid = {"model__prior_variance": [1e-6, 1.0], "separator": [" > "]}
    model = linear_model.PathSoftmax()
    search = GridSearchCV(HierarchicalClassifier(model), grid, cv=2, scoring="neg_log_loss").fit(
        X, y
    )
    assert search.best_params_["model__prior_variance"] == 1.0
    assert search.best_estimator_.model_.prior_variance == 1.0
    assert model.prior_variance == 32.0
    inside = HierarchicalClassifier(decision.Selective(preprocessing.Normalizer() | model))
    given = {"model__risk": 0.1, "model__model__PathSoftmax__prior_variance": 2.0}
    found = inside.set_params(**given).get_params()
    assert given == {name: found[name] for name in given}
    assert clone(inside).fit(X, y).model_.risk == 0.1
    with pytest.raises(
        ValueError, match=r"no parameter 'model__rsk'; there are classes, model, .*model__risk"
    ):
        inside.set_params(model__rsk=0.1)


META = {
    "voting": lambda model: VotingClassifier([("a", model), ("b", model)], voting="soft"),
    "stacking": lambda model: StackingClassifier([("a", model), ("b", model)], cv=2),
    "bagging": lambda model: BaggingClassifier(model, n_estimators=3, random_state=0),
    "predict_proba": None,
}


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("meta", META)
def test_meta_estimators_encode_labels(meta: str) -> None:
    """They work without a taxonomy, with one of codes, or with `classes`, as they are told."""
    X, y = np.eye(4)[np.arange(80) % 4], np.array(PATHS[:4] * 20)

    def right(y: Any, **parameters: Any) -> float:
        model = HierarchicalClassifier(**parameters)
        if make := META[meta]:
            return float(make(model).fit(X, y).score(X, y))
        p = cross_val_predict(model, X, y, method="predict_proba")
        return float((np.unique(y)[p.argmax(axis=1)] == y).mean())

    classes, codes = np.unique(y, return_inverse=True)
    of = {name: code for code, name in enumerate(classes.tolist())}
    coded = Taxonomy([(of.get(a, a), of.get(b, b)) for a, b in TREE.edges])
    assert right(y) == right(codes, taxonomy=coded) == 1.0
    for parameters in ({"separator": " > "}, {"taxonomy": TREE}):
        with pytest.raises(ValueError, match=r"y holds the codes 0 to 3 .*VotingClassifier"):
            right(y, **parameters)
        assert right(y, classes=classes, **parameters) == 1.0
    model = HierarchicalClassifier(separator=" > ", classes=classes)
    for refused in ([0, 4], [0, "a"]):
        with pytest.raises(ValueError, match="codes from 0 to 3"):
            clone(model).fit(X[:2], refused)
    model.partial_fit(X[:2], codes[:2]).partial_fit(X[2:4], codes[2:4])
    assert model.classes_.tolist() == [0, 1, 2, 3]
    assert model.fit(X, codes).score(X, codes) == 1.0
    assert set(model.predict(np.zeros((1, 4))).tolist()) <= {0, 1, 2, 3}


@pytest.mark.parametrize(
    "labels", [[5, 7, 9], [True, False], [1.0, 2.5], [1, "a", 2.5], [True, "True", 2], [b"a", 7]]
)
def test_labels_of_any_types(labels: list[Any]) -> None:
    """Each stays what it is, in a list and in a series."""
    t, X, y = Taxonomy.flat(labels), np.eye(len(labels)), labels * 30
    for given in (y, pd.Series(y, dtype=object)):
        model = HierarchicalClassifier(linear_model.PathSoftmax(), taxonomy=t)
        found = model.fit(np.tile(X, (30, 1)), given).predict(X).tolist()
        assert list(map(repr, found)) == list(map(repr, labels))


TEXT_MODELS = {
    "default": None,
    "one": feature_extraction.LogTFIDF() | linear_model.PathSoftmax(),
    "views": feature_extraction.TextViews() | linear_model.PathSoftmax(),
    "several": feature_extraction.LogTFIDF() | linear_model.HAROW(),
}


def frame(texts: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"title": texts})


def polars_frame(texts: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"title": texts})


@pytest.mark.slow(but=6)
@pytest.mark.parametrize("name", TEXT_MODELS)
@pytest.mark.parametrize("form", [list, tuple, np.array, pd.Series, frame, polars_frame])
def test_texts(name: str, form: Any) -> None:
    """They go to the model as they are, in the order of their labels."""
    several = name == "several"
    y: Any = [{path} for path in PATHS] if several else PATHS
    model = HierarchicalClassifier(TEXT_MODELS[name], separator=" > ").fit(form(TEXTS), y)
    assert model._taxonomy == Taxonomy.from_paths(PATHS, separator=" > ", labels="path")
    assert model.score(form(TEXTS), y) > 0.9
    assert model.predict_proba(form(TEXTS)).shape == (48, 4)
    model.partial_fit(form(TEXTS[:5]), y[:5])
    with pytest.raises(ValueError, match="X must hold texts, as in `fit`"):
        model.predict(np.eye(4))
    with pytest.raises(ValueError, match="X must hold numbers, as in `fit`"):
        HierarchicalClassifier().fit(np.eye(48), PATHS).predict(form(TEXTS))
    with pytest.raises(ValueError, match=r"expected text, got (None|nan); leave out examples"):
        model.fit(form(["lady", None]), y[:2])
    assert several or cross_val_score(model, form(TEXTS), y).mean() > 0.9


ROWS_MODELS = {
    "pool": ensemble.make_views(texts=["title"], categories=["brand"], numbers=["price"]),
    "union": (feature_extraction.TextViews(on="title") + compose.Select("price"))
    | linear_model.PathSoftmax(),
    "wrapper": decision.Selective(
        feature_extraction.LogTFIDF(on="title") | linear_model.PathSoftmax()
    ),
}


@pytest.mark.parametrize("name", ROWS_MODELS)
@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame])
def test_rows_of_texts_categories_and_numbers(name: str, form: Any) -> None:
    """They go to pipelines and pools as they are, in the order of their labels."""
    prices = [float(len(title)) for title in TEXTS]
    X = form({"title": TEXTS, "brand": ["a", "b"] * 24, "price": prices})
    model = HierarchicalClassifier(ROWS_MODELS[name], separator=" > ").fit(X, PATHS)
    assert model._taxonomy == Taxonomy.from_paths(PATHS, separator=" > ", labels="path")
    assert model.feature_names_in_.tolist() == ["title", "brand", "price"]
    assert model.predict_proba(X).shape == (48, 4)
    if name != "wrapper":  # which says little after 48 rows
        assert model.partial_fit(X[:5], PATHS[:5]).score(X, PATHS) > 0.9
    with pytest.raises(ValueError, match="The feature names should match"):
        model.predict(X[["title", "price", "brand"]])
    with pytest.raises(ValueError, match="give `model=ensemble"):
        HierarchicalClassifier().fit(X, PATHS)
    one = HierarchicalClassifier(separator=" > ").fit(X[["title"]], PATHS)
    assert one.predict(X[["title"]]).tolist() == one.predict(TEXTS).tolist()
    if name == "wrapper":  # the text has its name, if it is the only column, too
        alone = HierarchicalClassifier(ROWS_MODELS[name], separator=" > ").fit(X[["title"]], PATHS)
        assert alone.predict(X[["title"]]).tolist() == model.predict(X).tolist()


def test_labels_known_to_some_depth() -> None:
    """`Below` teaches what lies above, in labels, paths and sets."""
    X, known = np.eye(4)[np.arange(80) % 4], Below("men > shoes")
    y = [known if i % 4 in (1, 2) else PATHS[i % 4] for i in range(80)]
    model = HierarchicalClassifier(linear_model.PathSoftmax(TREE)).fit(X, y)
    assert [v.split(" > ")[0] for v in model.predict(np.eye(4))] == ["men"] * 3 + ["women"]
    assert model.classes_.tolist() == ["men > shirts", "men > shoes", "women > shirts"]
    assert model.score(X, y) == 1.0
    levels = [Below(v.label.split(" > ")) if type(v) is Below else v.split(" > ") for v in y]
    paths = HierarchicalClassifier(linear_model.PathSoftmax()).fit(X, levels)
    assert paths.predict(np.eye(4))[:, 0].tolist() == ["men"] * 3 + ["women"]
    assert paths.score(X, levels) == 1.0
    assert paths.classes_.tolist() == [tuple(v.split(" > ")) for v in model.classes_]
    assert Taxonomy.from_paths(y, " > ", "path").leaves == tuple(model.classes_)
    sets = [Below({v.label}) if type(v) is Below else {v} for v in y]
    several = HierarchicalClassifier(linear_model.HAROW(), separator=" > ").fit(X, sets)
    assert [v >= {"men", "men > shoes"} for v in several.predict(np.eye(4))] == [0, 1, 1, 0]
    with pytest.raises(TypeError, match="ExtraTrees learns whole labels only"):
        HierarchicalClassifier(forest.ExtraTrees(TREE)).fit(X, y)


@pytest.mark.parametrize(
    ("model", "y", "message"),
    [
        ({}, ["a", "b"], "a model of river_hier, got dict; one of scikit-learn goes"),
        (LinearSVC(), ["a", "b"], "got LinearSVC; one of scikit-learn goes into local"),
        (linear_model.PathSoftmax, ["a", "b"], "got a class; give an instance, PathSoftmax()"),
        (naive_bayes.GaussianNB(), ["a", "b"], "put a classifier of River into local.PerParent"),
        (
            evaluate.Ranked(linear_model.HAROW()),
            [{"a"}, {"b"}],
            "got Ranked; its answers, for metrics, are no",
        ),
        (None, ["a", None], "row 1 of y has no label, got None; leave such rows out"),
        (None, pd.Series(["a", np.nan]), "row 1 of y has no label, got nan"),
        (None, [["a", "b"], ["", None]], "row 1 of y has no label"),
        (None, [1.5, 2.5], "Unknown label type: continuous"),
        (None, [["a", "b"], ["b"]], "y has the list ['a', 'b'], and 'b' is at the top of"),
        (linear_model.HAROW(), [["b"], ["a", "b"]], "several labels of a row are a set"),
        (linear_model.HAROW(), ["a", "b"], "y holds labels, and HAROW takes several: sets, or a"),
    ],
)
def test_refused(model: Any, y: Any, message: str) -> None:
    classifier = HierarchicalClassifier(model)
    with pytest.raises((TypeError, ValueError), match=re.escape(message)):
        classifier.fit(np.eye(2), y)
    assert not hasattr(classifier, "model_")


@pytest.mark.parametrize(
    ("texts", "y", "w"),
    [
        (TEXTS[:10], [*PATHS[:9], "zz"], None),
        ([*TEXTS[:9], None], PATHS[:10], None),
        (TEXTS[:10], PATHS[:10], [1.0] * 9 + [-1.0]),
    ],
)
def test_errors_name_the_row_of_x(texts: Any, y: Any, w: Any) -> None:
    with pytest.raises(ValueError, match=r"^row 9: "):
        HierarchicalClassifier(taxonomy=TREE).fit(texts, y, w)


def test_a_text_is_no_list_of_texts() -> None:
    model = HierarchicalClassifier(taxonomy=TREE).fit(TEXTS, PATHS)
    with pytest.raises(ValueError, match=r"must be a list of texts, got one, 'shirt'; write \["):
        model.predict("shirt")
    with pytest.raises(ValueError, match="row 0: expected text, got None"):
        model.predict([None])
    assert model.predict([]).tolist() == []
    again = clone(model).fit(TEXTS, PATHS).fit([[0.0], [1.0]], PATHS[:2])  # of another kind
    assert again.n_features_in_ == 1
    assert inspection.top_one(model, "silk", k=1)[0][0][-1] == "women > shirts"


def test_no_pass_is_refused() -> None:
    with pytest.raises(ValueError, match="`n_passes` must be at least 1, got 0"):
        HierarchicalClassifier(n_passes=0).fit(np.eye(2), ["a", "b"])


def test_rows_of_y_in_another_order_are_refused() -> None:
    X, y = pd.DataFrame(np.eye(4)), pd.Series(PATHS[:4])
    model = HierarchicalClassifier()
    for wrong in (y.iloc[::-1], pd.DataFrame(PADDED[:4]).iloc[[1, 0, 2, 3]]):
        with pytest.raises(ValueError, match="y has the rows of X in another order"):
            model.fit(X, wrong)
    assert model.fit(X, y.iloc[::-1].to_numpy()).n_features_in_ == 4


def test_paths_in_which_a_name_is_at_two_places_are_tuples() -> None:
    y = [("a", "b"), ("b",)] * 20
    model = HierarchicalClassifier(linear_model.PathSoftmax()).fit(np.eye(2)[np.arange(40) % 2], y)
    assert model.predict(np.eye(2)).tolist() == [["a", "b"], ["b", ""]]


def test_every_metric():
    X, names = np.random.default_rng(1).standard_normal((60, 3)), ["sport", "tennis", "rowing"]
    t = Taxonomy.from_nested({"sport": ["tennis", "rowing"], "weather": []})
    y = [{"sport", "tennis"} if row[0] > 0 else {"sport", "rowing"} for row in X]
    model = HierarchicalClassifier(HAROW, taxonomy=t).fit(X, y)
    for name in metrics.__all__:
        if name in {"HLossByDepth", "Reliability"}:
            continue  # tables
        if name == "TopLabelCalibrationError":
            continue  # of one label
        parameters: Any = {"beta": 2} if name == "HFBeta" else {}
        if name in {"OneAccuracy", "AveragePrecision", "RankingLoss", "ParentOneAccuracy"}:
            parameters = {"candidates": names}
        metric = getattr(metrics, name)(t, **parameters)
        value = scorer(metric)(model, X, y)
        assert value > 0.8 if metric.bigger_is_better else -0.6 < value <= 0.0, (name, value)


def test_calibration() -> None:
    calibrated = CalibratedClassifierCV(texts(separator=" > "), cv=3).fit(TEXTS, PATHS)
    assert (calibrated.predict(TEXTS) == PATHS).all()
    assert calibrated.predict_proba(TEXTS).max(axis=1).mean() > 0.5


def test_models_keep_their_own_taxonomies() -> None:
    model = probabilistic.LinearDiscriminant(TREE)
    fitted = HierarchicalClassifier(model).fit(np.eye(4)[np.arange(48) % 4], PATHS)
    assert fitted.model_.taxonomy_ is TREE
    assert not model._labels.has_learned
    assert fitted.n_features_in_ == 4
    grown = HierarchicalClassifier(taxonomy=OpenTaxonomy(" > ")).fit(np.eye(4), PATHS[:4])
    assert set(grown.model_.taxonomy_.nodes) == {"", *TREE.nodes} - {"root"}


@pytest.mark.parametrize("dtype", [np.int8, np.int64, bool, str])
@pytest.mark.parametrize("root", ["all", "12", 7])
def test_answers_that_are_no_class(dtype: Any, root: Any) -> None:
    """They are nodes as they are, not numbers or bools made of them."""
    labels = np.array([0, 1]).astype(dtype)
    t = Taxonomy([(root, "some"), *(("some", label) for label in labels.tolist())])
    kinds = np.arange(600) % 3  # the first has both labels
    X, y = np.eye(3)[kinds], labels[np.where(kinds, kinds - 1, np.arange(600) % 2)]
    selective = decision.Selective(linear_model.PathSoftmax(t), risk=0.02)
    model = HierarchicalClassifier(selective).fit(X, y)
    first, *others = model.predict(np.eye(3)).tolist()
    assert first in (root, "some")
    assert model.predict(np.eye(3)).dtype == object
    assert model.predict(np.eye(3)[:1]).tolist() == [first]
    assert others == labels.tolist()
    assert model.score(X, y) == pytest.approx(2 / 3)
    assert -1.5 < scorer(metrics.TreeInducedError(t))(model, X, y) < 0.0
    assert model.predict(np.eye(3)[1:]).dtype.kind == y.dtype.kind


def test_scores_of_a_matrix_whose_columns_are_in_another_order() -> None:
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]] * 5)
    y = pd.DataFrame({"u": [True, False, False, True] * 5, "v": [False, True, False, True] * 5})
    model = HierarchicalClassifier().fit(X, y)
    loss = scorer(metrics.HLoss(Taxonomy.flat(["u", "v"])))
    for same in (y, y[["v", "u"]], y.to_numpy()):
        assert model.score(X, same) == 1.0
        assert loss(model, X, same) == 0.0
    with pytest.raises(ValueError, match="`y` must be a matrix of 2 columns, as in `fit`"):
        model.score(X, y[["u"]].to_numpy())


def test_scores_of_levels_where_the_answer_is_the_root() -> None:
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    y = [["a", "b"], ["c"], ["a"], ["a", "d"]]
    model = decision.Selective(linear_model.PathSoftmax(), risk=0.3, window=10)
    model = HierarchicalClassifier(model).fit(X, y)
    assert ["", ""] in model.predict(X).tolist()
    assert 0.0 <= model.score(X, y) < 1.0


def test_a_taxonomy_in_the_place_of_the_model() -> None:
    with pytest.raises(TypeError, match=r"name it: `taxonomy=\.\.\.`"):
        HierarchicalClassifier(TREE).fit(TEXTS, PATHS)
