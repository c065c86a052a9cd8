from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from river import base
from river import linear_model as river_linear_model

from .._backend import top_down_probabilities, trained_nodes
from ..base.classifiers import probability
from ..base.truncation import truncatable
from ..taxonomy import Label, NodeMapping, Taxonomy, TaxonomyLike
from ..taxonomy.multilabel import is_one
from ..taxonomy.open import with_labels
from .choice import Choice, Place, check_classifier
from .classifier import LocalClassifier
from .model import LocalModel
from .threshold import Threshold, reaches
from .told import Asked, told

__all__ = ["PerNode"]


class PerNode(LocalModel, base.MultiLabelClassifier):
    """A binary classifier at every node but the root, trained and evaluated from the top down.

    A node learns whether it is on, `True` or `False`, from the examples in which all its parents
    are truly on. It is on in an answer if its parents are and its classifier says so,

    $$P(v \\text{ on} \\mid \\text{parents on}) \\ge \\text{threshold}.$$

    So an answer may hold several paths, and each may stop at an inner node. A node that has learned
    nothing has probability 1/2, so at a threshold of 1/2 it says yes, as in `linear_model`.

    Learning asks the classifiers of the nodes whose parents are on: a new label touches its branch
    only. Predicting asks those whose parents are predicted on; `predict_proba_one` asks all.

    Its flat counterpart is `PerNode(classifier, taxonomy.flatten())`, which is River's
    `multioutput.PerOutputClassifier` with any kind of y.

    Parameters
    ----------
    classifier
        A classifier or pipeline, of which each node gets a clone; or a mapping from nodes to such,
        where a node that is not named takes that of the nearest named one above it (in a DAG: of
        the last one in taxonomy order), so the root must be named; or a function from a node, the
        root included, to such.
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive.
        An `OpenTaxonomy` grows along labels that are paths.
    threshold
        The least probability of a node that is on, given that its parents are; or a function of
        node and probability that says whether it is on.

    Attributes
    ----------
    classifiers
        `{node: its classifier}`, of those that have learned something.

    Raises
    ------
    ValueError
        If a mapping names an unknown node or lacks the root, or the threshold is not a probability;
        from `learn_one`, if a label is unknown, or is on whose ancestor is explicitly False.
    TypeError
        If `classifier` is not a classifier, nor gives one, or `taxonomy` is not a Taxonomy.

    Notes
    -----
    The top-down scheme of [^1], section 4, with any classifier in place of its perceptrons and
    least squares. Of the classifier's probabilities those of `True` and `False` count, normalised;
    a classifier without any is taken to be sure of its answer.

    Labels are checked before anything is learned; what x may be is up to the classifiers. A weight
    `w` reaches those that take one, the others learn as if it were 1.

    Examples
    --------

    >>> from river import evaluate, preprocessing
    >>> from river import linear_model as river_linear_model
    >>> from river_hier import Taxonomy, local, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> logistic = preprocessing.StandardScaler() | river_linear_model.LogisticRegression()
    >>> model = local.PerNode(logistic, taxonomy)
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.547

    >>> x, y = next(iter(stream))
    >>> print(model.debug_one(x))
    Prediction: ['news', 'politics']; a node is on if its parents are and it is likely enough
      'news': 0.638
        'sport': 0.191
        'politics': 0.830

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(
        self, classifier: Choice, taxonomy: TaxonomyLike = None, threshold: Threshold = 0.5
    ) -> None:
        super().__init__(classifier, taxonomy, threshold)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"classifier": river_linear_model.LogisticRegression()}

    def learn_one(
        self, x: Mapping[Any, Any], y: Any, w: float | None = None, **kwargs: Any
    ) -> None:
        """Learn from one example.

        Parameters
        ----------
        x
            A dictionary of features, as the classifiers take it.
        y
            A multilabel: `{label: bool}`, an iterable of labels, or one label. Ancestors are
            filled in on a copy; a label on whose ancestor is explicitly False is refused. An open
            taxonomy takes a tuple as one label; name several in a set or a list.
        w
            A weight, for the classifiers that take one.
        kwargs
            Passed on to the classifiers.

        """
        if isinstance(y, Iterator):  # it can be walked only once
            y = list(y)
        taxonomy = self._taxonomy
        if not isinstance(self.taxonomy, Taxonomy):
            named = [y] if is_one(y) or isinstance(y, tuple) else y
            taxonomy = with_labels(self.taxonomy, taxonomy, named)
        on = taxonomy.multilabel(y)
        trained = trained_nodes(on, taxonomy.arrays).tolist()
        lessons = [(taxonomy.nodes[v], bool(on[v])) for v in trained]
        self._teach(taxonomy, lessons, x, w, kwargs)

    @truncatable
    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> dict[Label, bool]:
        """Predict the multilabel of x.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: bool}` for all nodes but the root.

        """
        asked = self._visited(x, {})
        return {label: asked.get(label, (0.0, False))[1] for label in self._taxonomy.nodes[1:]}

    def predict_proba_one(
        self, x: Mapping[Any, Any], **kwargs: Any
    ) -> dict[Label, dict[bool, float]]:
        """The probability that each node is on, never above its parent's.

        Each is the product along the path of the nodes' probabilities given that their parents are
        on, so a label that `predict_one` switches on may have a probability below the threshold.

        Parameters
        ----------
        x
            A dictionary of features.
        kwargs
            Passed on to the classifiers.

        Returns
        -------
        `{label: {False: 1 - p, True: p}}` for all nodes but the root.

        """
        nodes = self._taxonomy.nodes
        given = [1.0, *(self._probability(label, x, kwargs) for label in nodes[1:])]
        on = top_down_probabilities(np.array(given), self._taxonomy.arrays).tolist()
        return {nodes[v]: {False: 1.0 - on[v], True: on[v]} for v in range(1, len(nodes))}

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            How many decimals to print.

        Returns
        -------
        A text: the nodes that were asked, those whose parents are on, each with its probability.

        """
        return told(self._taxonomy, self._visited(x, {}), decimals)

    def _visited(self, x: Mapping[Any, Any], kwargs: dict[str, Any]) -> Asked:
        """Of the nodes whose parents are on: how likely each is on then, and whether it is."""
        t, asked, on = self._taxonomy, {}, [True]
        for v, label in enumerate(t.nodes[1:], start=1):
            on.append(all(on[p] for p in t.parent_indices[v]))
            if on[v]:
                p = self._probability(label, x, kwargs)
                on[v] = reaches(self.threshold, label, p)
                asked[label] = (p, on[v])
        return asked

    def _probability(self, label: Label, x: Mapping[Any, Any], kwargs: dict[str, Any]) -> float:
        """P(node on | parents on); 1/2 where nothing is known."""
        if label in self._local:
            return probability(self._local[label].model, x, kwargs)
        return 0.5

    @property
    def _top(self) -> Place:
        return self._taxonomy.root

    def _upwards(self, taxonomy: Taxonomy, place: Place) -> Iterable[Place]:
        return (place, *reversed(taxonomy.ancestors(place)))

    def _check_place(self, taxonomy: Taxonomy, place: Place) -> None:
        taxonomy.index(place)

    def _carried(self, change: NodeMapping) -> dict[Place, LocalClassifier]:
        change.check_unmerged(self)
        old, pairs = change.before.nodes, zip(change.after.nodes, change.sources, strict=True)
        heirs = {old[u]: label for label, sources in pairs for u in sources}
        return {heirs[place]: local for place, local in self._local.items() if place in heirs}

    @staticmethod
    def _check_classifier(classifier: Any) -> None:
        check_classifier(classifier)
