"""Inspect the predictions of any model or pipeline."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .base.answer import answer_of, is_ours, taxonomy_of
from .base.checks import check_integer
from .base.classifiers import is_multilabel, last_step, last_step_and_input, shown
from .base.dataframes import (
    ColumnNames,
    answer_table,
    frame_like,
    pairs,
    rows,
)
from .base.explanation import Explanation
from .base.explanation import ranked as ranked_terms
from .base.wrapper import ModelWrapper
from .decision import NoisyLabels
from .taxonomy import Label, Taxonomy

__all__ = [
    "Suspect",
    "explain_many",
    "explain_one",
    "labels_one",
    "suspects",
    "top_many",
    "top_one",
]


def explain_one(model: Any, x: Any) -> dict[Label, Explanation]:
    """Explain a prediction by the features that the last step of a pipeline receives.

    Parameters
    ----------
    model
        A model of `linear_model`, `kernel` or `probabilistic`, a wrapper around one, whose own
        decisions are not explained, a pipeline that ends in one, or a `HierarchicalClassifier`.
    x
        A dictionary of features, a row of an array or a text, as the pipeline takes it.

    Returns
    -------
    `{label: explanation}`, as returned by the model's own `explain_one`.

    Examples
    --------
    >>> from river import feature_extraction
    >>> from river_hier import Taxonomy, inspection, linear_model

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> model = feature_extraction.BagOfWords() | linear_model.HAROW(t)
    >>> for _ in range(5):
    ...     model.learn_one("grey fur, howls at night", {"wolf"})
    ...     model.learn_one("grey wings, hoots at night", {"owl"})

    >>> why = inspection.explain_one(model, "fur at night")["mammal"]
    >>> why.on, why.score
    (True, 0.4535)
    >>> why.contributions
    [('fur', 0.446), ('at', 0.00261), ('night', 0.00261), ('intercept', 0.00261)]
    """
    model = fitted(model)
    last = last_step(model)
    if isinstance(model, type) or not callable(getattr(last, "explain_one", None)):
        if isinstance(last, ModelWrapper) and not hasattr(last, "models"):
            return explain_one(last.model, last_step_and_input(model, x)[1])
        help_ = "; give one of its `models`" * hasattr(last, "models")
        raise TypeError(
            "`model` must have an `explain_one`, as the models of linear_model do, or be a "
            f"pipeline that ends in one, got {shown(last)}{help_}"
        )
    last, x = last_step_and_input(model, x)
    return last.explain_one(x)


def fitted(model: Any) -> Any:
    """The model inside an estimator of scikit-learn that has been fitted, else the model."""
    return getattr(model, "model_", model)


def explain_many(model: Any, X: Any) -> dict[Label, list[tuple[Any, float]]]:
    """Sum explanations over many predictions: which features speak for and against each label.

    Parameters
    ----------
    model
        A model of `linear_model` or `probabilistic`, or a pipeline that ends in one.
    X
        A dataframe, or anything to iterate over, of what `explain_one` takes.

    Returns
    -------
    `{label: [(feature, sum of contributions), ...]}` over the x for which the label is explained,
    the largest absolute sum first: the importance of features.

    Examples
    --------
    >>> from river import feature_extraction
    >>> from river_hier import Taxonomy, inspection, linear_model

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> model = feature_extraction.BagOfWords() | linear_model.HAROW(t)
    >>> for text, label in [("grey fur howls", "wolf"), ("grey wings hoot", "owl")]:
    ...     model.learn_one(text, {label})
    >>> inspection.explain_many(model, ["fur", "grey fur"])["mammal"]
    [('fur', 0.4), ('intercept', -0.0870), ('grey', -0.0435)]
    """
    sums: dict[Label, dict[Any, float]] = {}
    for x in rows(X):
        for label, why in explain_one(model, x).items():
            total = sums.setdefault(label, {})
            for feature, part in why.contributions:
                total[feature] = total.get(feature, 0.0) + part
    return {label: ranked_terms(total.items()) for label, total in sums.items()}


def top_one(
    model: Any, x: Any, k: int = 5, leaves: bool = False, depth: int | None = None
) -> list[tuple[tuple[Label, ...], float]]:
    """The k best labels of x, each with its path.

    Labels are compared by their probabilities, or by scores if the model has none. For a multilabel
    model this is the probability that the node is on; for a single-label model that of the label
    itself or, at a given `depth`, that the label is the node or lies below it. Of equals in a
    multilabel model, deeper nodes come first; otherwise the order is that of the taxonomy.

    In a tree, the linear multilabel learners, and `Calibrated` around them, score only the children
    of nodes that are more probable than the k-th label. For other models it takes
    O(nodes + k log k), in addition to computing all probabilities or scores.

    Parameters
    ----------
    model
        A model in a taxonomy with probabilities or scores, or a pipeline that ends in one.
    x
        A dictionary of features, a row of an array or a text, as the model takes it.
    k
        The number of labels; fewer are returned if there are not as many.
    leaves
        Whether to rank the leaves only.
    depth
        Rank only the nodes at this depth; `None` for all depths. With `leaves`, the leaves there.

    Returns
    -------
    `[(path, probability), ...]`, the best first; a path goes from the root to the label. In a DAG
    it goes through the first parent of each node in taxonomy order. The root of a multilabel model
    is not ranked.

    Examples
    --------
    >>> from river import preprocessing
    >>> from river_hier import Taxonomy, inspection, linear_model

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> model = preprocessing.Normalizer() | linear_model.SHRLS(t)
    >>> for _ in range(10):
    ...     model.learn_one({"fur": 1.0, "howls": 1.0}, {"wolf"})
    ...     model.learn_one({"wings": 1.0, "hoots": 1.0}, {"owl"})

    >>> for path, p in inspection.top_one(model, {"fur": 1.0}, k=2):
    ...     print(path, round(p, 3))
    ('animal', 'mammal') 0.708
    ('animal', 'mammal', 'wolf') 0.501
    """
    depth = _checked_depth(model := fitted(model), k, depth)
    return answer_of(model, x).top(min(k, 2**32), leaves, depth)  # a taxonomy has fewer nodes


def top_many(
    model: Any,
    X: Any,
    k: int = 5,
    leaves: bool = False,
    depth: int | None = None,
    columns: ColumnNames = None,
) -> Any:
    """The k best labels of each row, as `top_one` ranks them.

    Parameters
    ----------
    model
        A model in a taxonomy with probabilities or scores, or a pipeline that ends in one.
    k
        The number of labels; fewer are returned if there are not as many.
    leaves
        Whether to rank the leaves only.
    depth
        Rank only the nodes at this depth; `None` for all depths.
    X
        A dataframe, numpy array or scipy.sparse matrix, or a series of what a pipeline takes.
    columns
        The names of the columns of an array or of a sparse X.

    Returns
    -------
    A dataframe with the columns `label_1`, `value_1`, ..., `label_k`, `value_k`, the best first,
    where the values are probabilities or scores; without a label and nan where there are fewer. It
    is of the same kind as X, with its index; of pandas if X is an array or sparse. Outside pandas,
    labels that are neither text nor numbers are converted to text.

    Examples
    --------
    >>> import numpy as np
    >>> from river_hier import Taxonomy, inspection, linear_model

    >>> t = Taxonomy([("animal", "wolf"), ("animal", "owl")])
    >>> model = linear_model.PathSoftmax(t)
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> model.learn_many(X, ["wolf", "owl"])
    >>> inspection.top_many(model, X, k=1)
      label_1   value_1
    0    wolf  0.935619
    1     owl  0.936447
    """
    depth = _checked_depth(model := fitted(model), k, depth)
    if last_step(model) is not model:
        X, model = model._transform_many(X)
    model, k = model if is_ours(model) else ModelWrapper(model), min(k, len(taxonomy_of(model)))
    best = model._answers(model._read_batch(X, columns)).tops(k, leaves, depth)
    cells: dict[str, list[Any]] = {}
    for place in range(k):
        cell = [row[place] if place < len(row) else ((None,), np.nan) for row in best]
        cells[f"label_{place + 1}"] = [path[-1] for path, _ in cell]
        cells[f"value_{place + 1}"] = [value for _, value in cell]
    return answer_table(frame_like(X), cells)


def labels_one(
    model: Any, x: Any, threshold: float | None = None, max_depth: int | None = None
) -> list[Label]:
    """The labels that are on, also through a pipeline: `predict_labels_one` of its last step.

    Parameters
    ----------
    model
        A multilabel model of this library, or a pipeline that ends in one.
    x
        A dictionary of features, a row of an array or a text, as the model takes it.
    threshold
        The least probability of a label that is on; `None` for the model's own rule.
    max_depth
        The maximum depth of a label; `None` for no limit.

    Returns
    -------
    The labels from the top down, without the root.

    Examples
    --------
    >>> from river_hier import Taxonomy, feature_extraction, inspection, linear_model

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> model = feature_extraction.LogTFIDF() | linear_model.HAROW(t)
    >>> for _ in range(5):
    ...     model.learn_one("howls at night", {"wolf"})
    ...     model.learn_one("hoots at night", {"owl"})
    >>> inspection.labels_one(model, "it howls")
    ['mammal', 'wolf']
    """
    model = fitted(model)
    last = None if isinstance(model, type) else last_step(model)
    if not is_ours(last) or not is_multilabel(last):
        raise TypeError(
            "`model` must be a multilabel model of this library, or a pipeline that ends in one, "
            f"got {shown(model)}"
        )
    last, x = last_step_and_input(model, x)
    return last.predict_labels_one(x, threshold, max_depth)


def familiarity_one(model: Any, x: Any) -> float:
    """How much x is like what the model has learned: the largest score of a label.

    Of texts that belong to no label, it is small. The largest probability tells less: it is large
    where x is unlike all labels, but least unlike one of them.

    Parameters
    ----------
    model
        A model in a taxonomy with scores or probabilities, or a pipeline that ends in one.
    x
        A dictionary of features or a text, as the model takes it.

    Returns
    -------
    The largest score of a node below the root, in O(nodes); the largest probability if there are no
    scores. `decision.Selective(model, foreign=0.05)` answers by it.

    Examples
    --------
    >>> from river_hier import Taxonomy, inspection, linear_model
    >>> from river_hier.feature_extraction import TextViews

    >>> model = TextViews() | linear_model.PathSoftmax(Taxonomy.flat(["cards", "loans"]), margin=1)
    >>> for text, y in [("a new card", "cards"), ("a loan for a house", "loans")] * 10:
    ...     model.learn_one(text, y)
    >>> inspection.familiarity_one(model, "a card") - inspection.familiarity_one(model, "frogs")
    2.38
    """
    check_in_taxonomy(model := fitted(model))
    return float(answer_of(model, x).familiarity())


class Suspect(NamedTuple):
    """A row whose label may be wrong.

    Attributes
    ----------
    row
        The number of the row, from 0 on.
    x
        Its x.
    y
        Its label.
    wrong
        The probability that the label is wrong.
    depth
        The depth down to which it is most likely right if it is wrong.
    proposed
        The likeliest other label; y itself if it is trusted, as its first examples are.
    probability
        How likely it is.

    Examples
    --------
    >>> from river_hier import inspection

    >>> suspect = inspection.Suspect(7, "blue shirt", "shoes", 0.99, 1, "shirts", 0.98)
    >>> suspect.wrong
    0.99
    """

    row: int
    x: Any
    y: Label
    wrong: float
    depth: int
    proposed: Label
    probability: float


def suspects(model: Any, X: Any, y: Any = None, k: int | None = None) -> list[Suspect]:
    """Return the rows whose label is most likely wrong.

    Rows that can be read twice, in X and y or a list, are judged by a clone of the model that has
    learned the other half of them, every second row. Those of a stream are judged before they are
    learned.

    Parameters
    ----------
    model
        A model of one label with probabilities, or a pipeline that ends in one, e.g.
        `TextViews() | PathSoftmax(t, margin=1)`. It is not changed, and put in
        `decision.NoisyLabels` unless it is in one.
    X
        A dataframe, or anything to iterate over, of what `predict_one` takes; without `y`, pairs
        `(x, y)`.
    y
        The labels.
    k
        The number of rows to return; `None` for all.

    Returns
    -------
    A list of `Suspect`, the likeliest first. It takes a step of the model and a prediction for each
    row.

    Examples
    --------
    >>> from river_hier import inspection, linear_model
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> rows = list(stream.take(4000))
    >>> for i in range(0, 4000, 40):
    ...     rows[i] = rows[i][0], stream.taxonomy.leaves[0]

    >>> suspects = inspection.suspects(linear_model.PathSoftmax(stream.taxonomy), rows, k=50)
    >>> sum(suspect.row % 40 == 0 for suspect in suspects) / 50
    1.0
    """
    if k is not None:
        check_integer("k", k, 1)
    noisy = model if isinstance(last_step(model), NoisyLabels) else NoisyLabels(model)
    rows: Any = X if y is None and isinstance(X, Sequence) else pairs(X, y)
    if y is not None or isinstance(rows, Sequence):
        rows = [*rows]
        judged: list[Suspect] = []
        for half in (0, 1):
            learner = noisy.clone()
            for x, y in rows[1 - half :: 2]:
                learner.learn_one(x, y)
            judged += [_suspect(learner, i, *rows[i]) for i in range(half, len(rows), 2)]
    else:
        learner, judged = noisy.clone(), []
        for i, (x, y) in enumerate(rows):
            judged.append(_suspect(learner, i, x, y))
            learner.learn_one(x, y)
    return sorted(judged, key=lambda suspect: (-suspect.wrong, suspect.row))[:k]


def _suspect(model: Any, row: int, x: Any, y: Label) -> Suspect:
    last, read = last_step_and_input(model, x)
    if y not in last.taxonomy_:  # a new label of an open taxonomy
        return Suspect(row, x, y, 0.0, 0, y, 1.0)
    return Suspect(row, x, y, *last.suspect_one(read, y))


def _checked_depth(model: Any, k: int, depth: int | None) -> int | None:
    check_integer("k", k, at_least=1)
    if depth is not None:
        check_integer("depth", depth, at_least=0)
        depth = min(depth, 2**31)
    check_in_taxonomy(model)
    return depth


def check_in_taxonomy(model: Any) -> None:
    """Raise an error unless the model predicts labels of a taxonomy."""
    last: Any = None if isinstance(model, type) else last_step(model)
    in_taxonomy = hasattr(last, "taxonomy") and isinstance(taxonomy_of(last), Taxonomy)
    if not in_taxonomy or not getattr(last, "_predicts_labels", True):
        raise TypeError(
            "`model` must be a model in a taxonomy, or a pipeline that ends in one, "
            f"got {shown(model)}"
        )
