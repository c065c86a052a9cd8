from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from river import base
from river import linear_model as river_linear_model

from .._core import top_down_probabilities, trained_nodes
from ..base.answer import SetAnswer, Unseen
from ..base.classifiers import SEVERAL, probability
from ..base.predictor import predict_labels_one
from ..taxonomy import Label, Taxonomy, closure_mask
from ..taxonomy.open import named, with_labels
from .model import LocalModel, Position


class PerNode(LocalModel, base.MultiLabelClassifier):
    """A binary classifier at each node but the root, trained and evaluated from the top down.

    A node learns whether it is on, `True` or `False`, from the examples in which all its parents
    are truly on. It is predicted if its parents are and

    $$P(v \\text{ on} \\mid \\text{parents on}) \\ge \\text{threshold}.$$

    A node that has learned nothing has probability 1/2, so it is on at a threshold of 1/2, but
    before the first example no label is predicted. `predict_one` evaluates the classifiers of the
    nodes whose parents are predicted, and `predict_proba_one` all of them.

    Its flat counterpart is `PerNode(classifier, taxonomy.flatten())`: River's
    `multioutput.PerOutputClassifier` for any kind of y.

    Parameters
    ----------
    classifier
        A classifier or pipeline, cloned for each node; or a mapping from nodes to classifiers, in
        which a node without one takes that of its nearest ancestor (in a DAG, the last of these in
        taxonomy order), so the root must be named; or a function from nodes to classifiers.
    taxonomy
        A tree or a DAG; `None` or an `OpenTaxonomy` takes labels as they arrive.
    threshold
        The least probability, given that its parents are on, for a node to be on; or a function of
        node and probability that returns whether the node is on.

    Notes
    -----
    The top-down scheme of section 4 of the paper [^1], with any classifier. The
    classifier's probabilities are normalised; without any, its prediction has probability 1. A
    weight `w` is passed on to the classifiers; if one takes none, only the weight 1 is accepted.

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
    >>> evaluate.progressive_val_score(stream.take(2000), model, metrics.HLoss(taxonomy))
    HLoss: 0.547

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    _kind = SEVERAL
    predict_labels_one = predict_labels_one

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"classifier": river_linear_model.LogisticRegression()}

    @property
    def _never_predicted(self) -> Unseen:
        """The unseen nodes; all of them before the first example."""
        return self._unseen if self._local else frozenset(range(1, len(self._taxonomy)))

    def _targets(self, y: Any) -> tuple[Taxonomy, list[tuple[Position, bool]]]:
        if isinstance(y, Iterator):  # it is needed twice
            y = list(y)
        taxonomy = self._taxonomy
        if not isinstance(self.taxonomy, Taxonomy):
            taxonomy = with_labels(self.taxonomy, taxonomy, named(y))
        on = closure_mask(taxonomy, y)
        trained = trained_nodes(on, taxonomy._arrays).tolist()
        return taxonomy, [(taxonomy.nodes[v], bool(on[v])) for v in trained]

    def _record(self, targets: Sequence[tuple[Position, bool]]) -> None:
        if self._unseen:
            self._unseen -= {self._taxonomy.index(label) for label, on in targets if on}

    def _debug_lines(self, x: Mapping[Any, Any], decimals: int) -> Iterator[str]:
        t, visited = self._taxonomy, self._visited(x)
        on = [label for label, (_, is_on) in visited.items() if is_on]
        paths: dict[Label, tuple[int, ...]] = {t.root: ()}
        for label in visited:
            paths[label] = (*paths[t.parents(label)[0]], t.index(label))  # in a DAG, the first
        yield f"Prediction: {on!r}; a node is on if its parents are and it is likely enough"
        for label in sorted(visited, key=paths.__getitem__):
            yield f"{'  ' * len(paths[label])}{label!r}: {visited[label][0]:.{decimals}f}"

    def _visited(self, x: Mapping[Any, Any]) -> dict[Label, tuple[float, bool]]:
        """For the nodes whose parents are on: their conditional probability, and if they are on."""
        t, visited, at, on = self._taxonomy, {}, [0], {0}
        for u in at:  # which grows
            for v in t._arrays.children_of(u):  # in a DAG, v is visited below its last parent
                if t._arrays.parents[v][-1] == u and on.issuperset(t._arrays.parents[v]):
                    p = self._conditional(label := t.nodes[v], x)
                    visited[label] = (p, self._is_enough(label, p))
                    if visited[label][1]:
                        at.append(v)
                        on.add(v)
        return visited

    def _answer(self, x: Mapping[Any, Any]) -> SetAnswer:
        def own() -> list[int]:
            visited = self._visited(x).items()
            return sorted(self._taxonomy.index(v) for v, (_, on) in visited if on)

        def p() -> Any:
            given = [1.0, *(self._conditional(label, x) for label in self._taxonomy.nodes[1:])]
            return top_down_probabilities(np.array(given), self._taxonomy._arrays)

        return SetAnswer(self._labels, None, p, own, never=self._never_predicted)

    def _conditional(self, label: Label, x: Mapping[Any, Any]) -> float:
        """P(node on | parents on); 0 if the node is unseen."""
        if self._unseen and self._taxonomy.index(label) in self._unseen:
            return 0.0
        return probability(self._local[label].model, x) if label in self._local else 0.5
