"""The base classes of all learners in a taxonomy, of one label and of several."""

import abc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._core import (
    Batch,
    Labels,
    Multilabels,
    Nodes,
    below,
    closed_many,
    distribution,
    softmax,
    top_down_probabilities,
    trained_nodes,
)
from .._core.batch import closed_table
from ..taxonomy import Below, Label, Taxonomy, TaxonomyLike, extended
from ..taxonomy.multilabel import given_nodes, implied_nodes
from ..taxonomy.open import initial_taxonomy, named, with_labels
from .checks import check_whole, checked_weight
from .explanation import Contribution, Explanation, Floats, effects, explained, ranked
from .predictor import (
    NONE,
    MultiLabelPredictor,
    Predictor,
    SingleLabelPredictor,
    Unseen,
    replaced,
)
from .targets import read_label

ROWS = 4096  # maximum number of rows of a slice
ROOT = frozenset({0})


class TaxonomyModel(Predictor, base.Estimator):
    """A model with a score at every node of a taxonomy.

    A given taxonomy is closed: an unknown label is an error. `None` is an open, flat one under
    `"root"`, to which labels are added as they arrive; an `OpenTaxonomy` grows with paths.
    """

    def __init__(self, taxonomy: TaxonomyLike) -> None:
        self.taxonomy: TaxonomyLike = taxonomy
        self._labels = Labels(initial_taxonomy(taxonomy))
        self._check_taxonomy(self._taxonomy)

    @property
    def taxonomy_(self) -> Taxonomy:
        """The current taxonomy, with all labels that have arrived."""
        return self._labels.taxonomy

    _taxonomy = taxonomy_

    @property
    def _unseen(self) -> Unseen:
        return frozenset(self._labels.unseen) if self._labels.n_unseen else NONE

    def score_one(self, x: Mapping[Any, Any]) -> dict[Label, float]:
        """The score of each label, `{label: score}`; multilabel models leave out the root."""
        scores = self._scores_one(x).tolist()
        return dict(zip(self._taxonomy.nodes[self._first :], scores[self._first :], strict=True))

    def explain_one(self, x: Mapping[Any, Any]) -> dict[Label, Explanation]:
        """Explain the prediction for x, node by node.

        Returns
        -------
        `{label: explanation}` from the top down. A multilabel model explains the nodes whose
        parents are on, a single-label model those on the path of its prediction and, at each step
        of the path, the other child with the largest score.

        An explanation has the fields `on`, whether the node is predicted to be on; `score`;
        `probability`, that the node is on or, for a single label, that the label lies at or below
        it; and `contributions`, a list of `(feature, contribution)` sorted by absolute value, or of
        `(stored example, contribution)` in kernel models. The score is their sum, to which
        `LinearDiscriminant` adds that of an empty x. It takes a prediction for each feature of x.

        """
        scores, p = self._scores_one(x), self._node_probabilities(x)
        visited = self._visited(x)
        found = self._contributions(x, list(visited))
        return {
            self._taxonomy.nodes[v]: Explanation(on, float(scores[v]), float(p[v]), ranked(terms))
            for (v, on), terms in zip(visited.items(), found, strict=True)
        }

    def adopt(self, taxonomy: Taxonomy) -> None:
        """Continue with a larger taxonomy.

        In a trained model, a new node has probability 0 until its first example, whose label is the
        node or below it. It starts from its parent or, in models that store examples, counts as off
        in those of its siblings. An open model is closed. Takes O(new nodes) after `extend`.

        Parameters
        ----------
        taxonomy
            The taxonomy of the model with new nodes, the last ones, e.g.
            `model.taxonomy_.extend([(parent, child)])`.

        """
        taxonomy = extended(self._taxonomy, taxonomy)
        self._check_taxonomy(taxonomy)
        self._extend(taxonomy, self._labels.has_learned)
        self.taxonomy = taxonomy

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        """Raise an error if the model does not work in this taxonomy."""

    def forget(self, label: Label) -> None:
        """Reset a node and all nodes below it; nothing changes elsewhere.

        Until the branch learns again, a multilabel model switches its nodes on, and a single-label
        model gives them the scores of their parents. Takes O(size of the model).

        Parameters
        ----------
        label
            The node; with the root, everything is reset.

        """
        if v := self._taxonomy.index(label):
            self._forget(self._taxonomy._arrays.branch(v))
        else:
            self._start_anew()

    def _start_anew(self) -> None:
        """Become a model that has learned nothing, in the same taxonomy."""
        fresh = self.clone()
        fresh._extend(self._taxonomy, unseen=False)
        vars(self).update(vars(fresh))

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x as text.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            The number of decimals to print.

        Returns
        -------
        One line for each node of `explain_one`, with its score and largest contributions.

        """
        predict = getattr(self, "predict_labels_one", self.predict_one)
        nodes = explained(self.explain_one(x), self._taxonomy, decimals)
        return "\n".join([f"Prediction: {predict(x)!r}; {self._decision_rule}", *nodes])

    _decision_rule: str

    @abc.abstractmethod
    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        """The nodes that `explain_one` shows, in order, and whether they are on."""

    @abc.abstractmethod
    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        """P(on) of every node; for a single label, P(the label lies at or below the node)."""

    @abc.abstractmethod
    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        """The score of every node."""

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        """The contributions to the score of each of these nodes."""
        return effects(self._scores_one, x, nodes)

    @abc.abstractmethod
    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        """Learn from an example of weight w, given its labels in the taxonomy or its one node."""

    def _grow(self, taxonomy: Taxonomy, x: Any, y: Any, w: float, below: bool = False) -> None:
        """Learn from an example with new labels, which are in this larger taxonomy."""
        self._check(x, w)
        self._extend(taxonomy, unseen=False)
        (self._learn_below if below else self._learn)(x, y, w)

    @contextmanager
    def _knowing(self, taxonomy: Taxonomy) -> Iterator[None]:
        """Ask a rule, which may raise, about new labels in this larger taxonomy: O(nodes)."""
        labels = self._labels
        self._labels = Labels(taxonomy, labels.unseen, labels.has_learned)
        try:
            yield
        finally:
            self._labels = labels

    @abc.abstractmethod
    def _record(self, y: Any) -> None:
        """Record that the model has learned from these targets of `_learn_slice`."""

    @abc.abstractmethod
    def _forget(self, nodes: Nodes) -> None:
        """Reset a branch below the root, given its nodes, or refuse."""

    @abc.abstractmethod
    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        """Make room for new nodes, the last ones."""

    @property
    def _never_predicted(self) -> Unseen:
        """The nodes that are never predicted: the unseen ones."""
        return self._unseen

    def _extend(self, taxonomy: Taxonomy, unseen: bool) -> None:
        """Change to a taxonomy with new nodes, the last ones."""
        self._add_nodes(len(self._taxonomy), taxonomy)  # first: predictions beside it use labels
        self._labels.grow(taxonomy, unseen)

    # Learn from an example that is known `Below` nodes, given its label as `_learn` is; None if the
    # model cannot.
    _learn_below: Any = None
    _learns_below: Any = property(lambda self: self._learn_below is not None)

    def _known(self, y: Any) -> Any:
        """What is known of y, or an error if the model cannot learn from a part of a label."""
        if type(y) is not Below:
            return y
        if self._learn_below is None:
            check_whole(self, y)
        return y.label

    def _check_one(self, x: Any, y: Any, w: float) -> None:
        self._check(x, w)
        self._read(y)

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        """Raise an error if the algorithm cannot learn from x with weight w."""
        self._scores_one(x)  # some x are too large for float32

    # Mini-batches

    def _in_slices(self, X: Batch) -> bool:
        """Whether these rows are learned by `_learn_slice`, not by a loop."""
        return False

    @abc.abstractmethod
    def _targets(self, ys: Any, first: int, last: int) -> Any:
        """The targets ys[first:last] in the taxonomy, up to one that `learn_one` must read."""

    @abc.abstractmethod
    def _read(self, y: Any) -> Any:
        """Read the target of an example, or refuse it."""

    def _learn_slice(self, X: Batch, y: Any) -> None:
        """Learn from rows with these targets; `X.n_learned` says how many are learned."""
        raise NotImplementedError

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        if not self._in_slices(X):
            super()._learn_rows(X, ys)
        while (first := X.n_learned) < X.n:
            y = self._targets(ys, first, min(first + ROWS, X.n))
            if not len(y):  # `learn_one` grows with a new label, and refuses a wrong one
                self._one_by_one(X, ys, first + 1)
                continue
            part = X.part(first, first + len(y))
            try:
                self._learn_slice(part, y)
            finally:
                X.n_learned = first + part.n_learned
                if part.n_learned:
                    self._record(y[: part.n_learned])


class SingleLabelModel(TaxonomyModel, SingleLabelPredictor, base.MiniBatchClassifier):
    """A classifier whose labels are the nodes of a tree, the root and inner nodes included.

    The prediction is the label with the largest score; ties go to the first in taxonomy order. As
    in River, it is `None` before the first label of an open taxonomy.
    """

    _multiclass: bool = True
    _decision_rule = "by the sum of the weights on its path"

    def _check_taxonomy(self, taxonomy: Taxonomy) -> None:
        taxonomy._arrays.check_tree()

    def learn_one(self, x: Mapping[Any, Any], y: Label, w: float = 1.0) -> None:
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if node := self._labels.node(y):
            self._learn(x, node, w)
        else:  # a label that is new, unusual, the root or known in part
            taxonomy, node = self._read(y)
            if taxonomy is not self._taxonomy:
                self._grow(taxonomy, x, node, w)
            elif type(y) is not Below or not taxonomy._arrays.children_of(node):
                self._learn(x, node, w)
            elif node:
                self._learn_below(x, node, w)
            else:
                return self._check(x, w)
        self._labels.learned_path(node)

    def _predict(self, x: Mapping[Any, Any]) -> Label | None:
        label = self._answer(x)
        return None if self.taxonomy is not self._taxonomy and self._without_labels else label

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """A distribution over all nodes: the softmax of the scores, which are not calibrated.

        `{label: probability}`, the root included; the sum is 1. Without a taxonomy, the root is not
        a label and has probability 0. Empty if the taxonomy is open and there have been no labels.
        """
        p = distribution(self._labels, self._softmax(x))  # which reads x
        return {} if self._without_labels else p

    def _targets(self, ys: Any, first: int, last: int) -> Nodes:
        taxonomy, nodes = self._taxonomy, list[int]()
        with suppress(TypeError):  # a label that is not hashable
            for y in ys[first:last]:
                v = taxonomy._arrays.number(y)
                # The root may be new; True is not 1.
                if not v or type(taxonomy.nodes[v]) is not type(y):
                    break
                nodes.append(v)
        return np.array(nodes, dtype=np.uint32)

    def _read(self, y: Any) -> Any:
        return read_label(self, self._known(y))

    @property
    def _first_label(self) -> int:
        """The first node that can be predicted: without a taxonomy, the root is not a label."""
        return int(self.taxonomy is None and len(self._taxonomy) > 1)

    @property
    def _never_predicted(self) -> Unseen:
        return self._unseen | ROOT if self._first_label else self._unseen

    def _best_of(self, scores: Floats) -> Any:
        """The node with the largest score, (nodes, ...), of those that can be predicted."""
        if self._labels.n_unseen or self._first_label:
            scores = replaced(scores, self._never_predicted, -np.inf)
        return scores.argmax(axis=0)

    def _softmax(self, x: Mapping[Any, Any]) -> Any:
        return softmax(replaced(self._scores_one(x), self._never_predicted, -np.inf))

    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        return below(self._labels, self._softmax(x))

    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        t, scores = self._taxonomy, self._scores_one(x)
        if self._without_labels:
            return {}
        path = t.path(self.predict_one(x))
        visited = {0: True}
        for here, there in zip(path, [*path[1:], None], strict=True):
            lost = [t.index(label) for label in t.children(here) if label != there]
            if lost:
                visited[max(lost, key=scores.__getitem__)] = False
            if there is not None:
                visited[t.index(there)] = True
        return visited

    def _labels_of(self, X: Batch) -> list[Label]:
        answers = self._answers(X).tolist()  # first, for nodes may be added meanwhile
        nodes: Sequence[Any] = [None] if self._without_labels else self._taxonomy.nodes
        return [nodes[v] for v in answers]

    def _probabilities(self, X: Batch) -> NDArray[Any]:
        """The softmax of the scores, (rows, nodes)."""
        scores = replaced(self._scores_many(X), self._never_predicted, -np.inf)
        return softmax(self._tempered(scores)).T

    def _tempered(self, scores: Floats) -> Floats:
        """The scores whose softmax is the probabilities, (nodes, rows)."""
        return scores

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        return self._taxonomy.nodes[int(self._best_of(self._scores_one(x)))]

    def _answers(self, X: Batch) -> NDArray[Any]:
        return self._best_of(self._scores_many(X))

    def _record(self, y: Any) -> None:
        if self._labels.n_unseen or not self._labels.has_learned:
            for v in set(y.tolist()):
                self._labels.learned_path(v)


class MultiLabelModel(TaxonomyModel, MultiLabelPredictor):
    """A multilabel classifier whose predictions contain all ancestors of their labels.

    Unless a learner defines another rule, a node is predicted on if its parents are on and its own
    score is at least zero, so an untrained node is on. Before its first example a model predicts no
    label; its probabilities given that the parents are on are then 1/2.
    """

    _decision_rule = "a node is on if its parent is on and its score is >= 0"

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> None:
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if below := type(y) is Below:
            y = self._known(y)
        if hasattr(y, "__next__"):  # it can be iterated over only once
            y = list(y)
        labels, before = self._labels, self._taxonomy
        taxonomy = before if self.taxonomy is before else self._with_labels(y)
        if below:
            given = given_nodes(taxonomy, y) - {0}
            below = any(map(taxonomy._arrays.children_of, given))
            if not given:
                implied_nodes(taxonomy, y)  # an error if y is invalid
                return self._check(x, w)
        if taxonomy is not before:
            self._grow(taxonomy, x, y, w, below)
        elif below:
            self._learn_below(x, y, w)
        else:
            self._learn(x, y, w)
        if labels.n_unseen or not labels.has_learned:
            labels.learned(np.array(sorted(implied_nodes(self._taxonomy, y)), dtype=np.uint32))

    @property
    def _never_predicted(self) -> Unseen:
        """The unseen nodes; all of them before the first example."""
        if self._labels.has_learned:
            return self._unseen
        return frozenset(range(1, len(self._taxonomy)))

    def _with_labels(self, y: Any) -> Taxonomy:
        """The taxonomy with the labels of a multilabel, which an open one may lack."""
        taxonomy = self._taxonomy
        if not isinstance(self.taxonomy, Taxonomy):
            taxonomy = with_labels(self.taxonomy, taxonomy, named(y))
            if taxonomy is not self._taxonomy and isinstance(y, Mapping):
                implied_nodes(taxonomy, y)  # an error if y is invalid
        return taxonomy

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Label, dict[bool, float]]:
        """The probability of each node but the root, `{label: {False: 1 - p, True: p}}`.

        Each is the product along the path of the nodes' probabilities given that their parents are
        on: never above its parent's, and perhaps below one half where `predict_one` says True.
        """
        return self._labels.probabilities(self._probabilities_one(x))

    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        given = replaced(self._conditionals(self._scores_one(x)), self._unseen, 0)
        return self._labels.marginals(given)

    def _probabilities_one(self, x: Mapping[Any, Any]) -> Any:
        return self._node_probabilities(x)

    def _targets(self, ys: Any, first: int, last: int) -> Multilabels:
        if isinstance(ys, Batch):
            if (found := closed_table(self._taxonomy, ys, first, last)) is not None:
                return found
            ys, first, last = list(ys.part(first, last)), 0, last - first
        is_open = not isinstance(self.taxonomy, Taxonomy)
        return Multilabels(*closed_many(self._labels, ys, first, last, is_open))

    def _read(self, y: Any) -> Any:
        y = self._known(y)
        return implied_nodes(self._with_labels(y), y)

    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        on = np.array([True, *self.predict_one(x).values()])
        visited = set(trained_nodes(on, self._taxonomy._arrays).tolist())
        # The visited nodes, each after its parent, and only once even if it has several.
        order: dict[int, bool] = {}
        stack = [0]
        while stack:
            v = stack.pop()
            if v in visited:
                order.setdefault(v, bool(on[v]))
            if on[v]:
                stack += [c for c in reversed(self._taxonomy._arrays.children[v]) if c in visited]
        return order

    def _probabilities(self, X: Batch) -> Floats:
        given = replaced(self._conditionals(self._scores_many(X)), self._unseen, 0)
        return top_down_probabilities(given, self._taxonomy._arrays, in_place=True).T

    def _record(self, y: Multilabels) -> None:
        if self._labels.n_unseen or not self._labels.has_learned:
            self._labels.learned(np.unique(y.nodes))

    @abc.abstractmethod
    def _conditionals(self, scores: Floats) -> Floats:
        """P(node on | parents on) for every node, from the scores."""
