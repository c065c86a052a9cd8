"""The methods of other libraries, used as their documentation shows, on one core."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from methods import Answer, Floats, Method, Predict, several, single
from river import forest, naive_bayes
from river import linear_model as river_linear_model
from scipy.special import expit
from sklearn import ensemble, svm
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from splits import Split

from river_hier import local


def at_nodes(s: Split, classes: Iterable[Any], scores: Any) -> Floats:
    """The scores of some labels as columns of all nodes; 0 in the others."""
    nodes = s.taxonomy.nodes if s.single else s.taxonomy.nodes[1:]
    place = {v: i for i, v in enumerate(nodes)}
    found = np.zeros((len(scores), len(nodes)))
    found[:, [place[v] for v in classes]] = scores
    return found


# %% scikit-learn
def scikit(make: Callable[[], Any]) -> Callable[[Split], Predict]:
    """A classifier of labels; for several labels, one for each node that is not constant."""

    def learn(s: Split) -> Predict:
        if s.single:
            model = make().fit(s.X, s.y)

            def predict(X: Any) -> Answer:
                answers = model.predict(X).tolist()
                if not hasattr(model, "predict_proba"):
                    return Answer(answers)
                return Answer(answers, at_nodes(s, model.classes_.tolist(), model.predict_proba(X)))

            return predict
        shares = s.y.mean(axis=0)
        varied = np.flatnonzero((shares > 0) & (shares < 1))
        several = OneVsRestClassifier(make()).fit(s.X, s.y[:, varied].astype(int))

        def predict_several(X: Any) -> Answer:
            answers = np.tile(shares == 1, (X.shape[0], 1))
            scores = np.tile(shares, (X.shape[0], 1))
            answers[:, varied] = several.predict(X) > 0
            probable = hasattr(several.estimators_[0], "predict_proba")
            scores[:, varied] = (
                several.predict_proba(X) if probable else expit(several.decision_function(X))
            )
            return Answer(answers, scores, probable)

        return predict_several

    return learn


def trees(s: Split) -> Predict:
    """Bagged trees that split for all labels at once, like those of Clus."""
    on = s.y.any(axis=0)
    model = ensemble.RandomForestRegressor(
        50, min_samples_leaf=5, max_features=1 / 3, random_state=0
    )
    model.fit(s.X, s.y[:, on].astype(np.float32))

    def predict(X: Any) -> Answer:
        scores = np.zeros((X.shape[0], s.y.shape[1]))
        scores[:, on] = model.predict(X)
        return Answer(scores >= 0.5, scores)

    return predict


def few(most: int) -> Callable[[Split], bool]:
    return lambda s: s.single or s.y.shape[1] <= most


def no_label(s: Split) -> Predict:
    """What every other method has to beat."""
    return lambda X: Answer(np.zeros((X.shape[0], len(s.taxonomy) - 1), dtype=bool))


SCIKIT = {
    "no label": Method(no_label, several),
    "LinearSVC": Method(scikit(svm.LinearSVC), few(200)),
    "LogisticRegression": Method(scikit(LogisticRegression), few(1_000)),
    "SGDClassifier, one pass": Method(
        scikit(lambda: SGDClassifier(loss="log_loss", max_iter=1, tol=None, shuffle=False)),
        few(1_000),
        one_pass=True,
    ),
    "SVC, Gaussian kernel": Method(scikit(lambda: svm.SVC(C=10.0)), lambda s: s.single and s.dense),
    "ExtraTrees": Method(
        scikit(lambda: ensemble.ExtraTreesClassifier(200, random_state=0)),
        lambda s: s.single and s.dense,
    ),
    "HistGradientBoosting": Method(
        scikit(ensemble.HistGradientBoostingClassifier), lambda s: s.single and s.dense
    ),
    "RandomForest of label vectors": Method(
        trees, lambda s: several(s) and (s.dense or s.X.shape[1] < 2_000)
    ),
}


# %% HiClass: the names on the path to a label; inner labels get a child of their own
def hiclass(kind: str, calibrated: bool = False) -> Callable[[Split], Predict]:
    def learn(s: Split) -> Predict:
        import hiclass

        probable = calibrated or kind == "Node"
        estimator = LogisticRegression() if probable else svm.LinearSVC()
        how = {"calibration_method": "isotonic"} if calibrated else {}
        model = getattr(hiclass, f"LocalClassifierPer{kind}")(local_classifier=estimator, **how)
        t = s.taxonomy
        inner = {label: f"{label}, no deeper" for label in t.nodes if t.children(label)}
        paths = [[*map(str, t.path(label)[1:]), inner.get(label, "")] for label in s.y]
        paths = [path + [""] * (t.height + 1 - len(path)) for path in paths]
        model.fit(s.X, paths)
        if calibrated:
            model.calibrate(s.X, paths)
        named = {str(label): label for label in t.nodes} | {v: k for k, v in inner.items()}

        def predict(X: Any) -> Answer:
            return Answer([[named[v] for v in row if v in named][-1] for row in model.predict(X)])

        return predict

    return learn


HICLASS = {
    "HiClass per node": Method(hiclass("Node"), single, needs="hiclass"),
    "HiClass per parent": Method(hiclass("ParentNode"), single, needs="hiclass"),
    "HiClass per parent, calibrated": Method(hiclass("ParentNode", True), single, needs="hiclass"),
}


# %% Vowpal Wabbit and napkinXC
def vowpal(s: Split) -> Predict:
    """One pass of logistic regression: one against all or, for several labels, one per node."""
    from vowpalwabbit import Workspace

    labels = sorted(set(map(s.taxonomy.index, s.y))) if s.single else range(s.y.shape[1])
    kind = "--oaa" if s.single else "--multilabel_oaa"
    model = Workspace(
        f"{kind} {len(labels)} --loss_function logistic --probabilities -b 22 --quiet"
    )
    place = {v: i for i, v in enumerate(labels)}

    def lines(X: Any, ys: Iterable[str]) -> Iterable[Any]:
        for x, y in zip(X, ys, strict=True):
            where = np.flatnonzero(x) if s.dense else x.indices
            values = x[where] if s.dense else x.data
            pairs = zip(where.tolist(), values.tolist(), strict=True)
            yield model.example(f"{y} | {' '.join(f'{j}:{v:.6g}' for j, v in pairs)}")

    def targets() -> Iterable[str]:
        if s.single:
            return (str(place[s.taxonomy.index(label)] + 1) for label in s.y)
        return (",".join(map(str, np.flatnonzero(y))) for y in s.y)

    for example in lines(s.X, targets()):
        model.learn(example)

    def predict(X: Any) -> Answer:
        found = np.array([model.predict(e) for e in lines(X, [""] * X.shape[0])])
        if not s.single:
            return Answer(found >= 0.5, found)
        names = [s.taxonomy.nodes[v] for v in labels]
        return Answer([names[i] for i in found.argmax(axis=1)], at_nodes(s, names, found))

    return predict


def napkin(s: Split) -> Predict:
    """Logistic regressions in a tree that napkinXC builds over the labels."""
    from napkinxc.models import PLT

    folder = tempfile.TemporaryDirectory()
    model = PLT(folder.name, threads=1, seed=1)
    nodes = [s.taxonomy.index(label) for label in s.y] if s.single else None
    model.fit(s.X, nodes if s.single else [np.flatnonzero(y).tolist() for y in s.y])
    width = len(s.taxonomy.nodes) - (not s.single)

    def predict(X: Any) -> Answer:
        found = np.zeros((X.shape[0], width))
        for row, pairs in zip(found, model.predict_proba(X, top_k=0, threshold=1e-4), strict=True):
            for v, p in pairs:
                row[v] = p
        _ = folder  # deleted with the model
        if s.single:
            return Answer([s.taxonomy.nodes[v] for v in found.argmax(axis=1)], found)
        return Answer(found >= 0.5, found)

    return predict


EXTREME = {
    "Vowpal Wabbit, one pass": Method(vowpal, few(1_000), one_pass=True, needs="vowpalwabbit"),
    "napkinXC": Method(napkin, few(5_000), needs="napkinxc"),
}


# %% River
def river(make: Callable[[Split], Any]) -> Callable[[Split], Predict]:
    def learn(s: Split) -> Predict:
        nodes = s.taxonomy.nodes if s.single else s.taxonomy.nodes[1:]
        model = make(s)
        for x, y in zip(dicts(s, s.X), s.y, strict=True):
            model.learn_one(x, y if s.single else dict(zip(nodes, y.tolist(), strict=True)))

        def predict(X: Any) -> Answer:
            if s.single:
                return Answer([model.predict_one(x) for x in dicts(s, X)])
            found = [model.predict_proba_one(x) for x in dicts(s, X)]
            scores = np.array([[p[v][True] for v in nodes] for p in found])
            return Answer(scores >= 0.5, scores)

        return predict

    return learn


def dicts(s: Split, X: Any) -> Iterable[dict[int, float]]:
    for x in X:
        where, values = (range(len(x)), x) if s.dense else (x.indices.tolist(), x.data)
        yield dict(zip(where, values.tolist(), strict=True))


RIVER = {
    "River: naive Bayes per parent": Method(
        river(lambda s: local.PerParent(naive_bayes.ComplementNB(), s.taxonomy)),
        lambda s: s.single and not s.dense,
        True,
    ),
    "River: forest per parent": Method(
        river(lambda s: local.PerParent(forest.ARFClassifier(seed=0), s.taxonomy)),
        lambda s: s.single and s.dense,
        True,
    ),
    "River: logistic regression per node": Method(
        river(lambda s: local.PerNode(river_linear_model.LogisticRegression(), s.taxonomy)),
        lambda s: several(s) and few(200)(s),
        True,
    ),
}
RIVALS = SCIKIT | HICLASS | EXTREME | RIVER
