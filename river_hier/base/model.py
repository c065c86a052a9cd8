"""The base class of all learners in a taxonomy."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

from river import base

from .._core import Batch, Labels, Nodes
from ..taxonomy import Label, Taxonomy, TaxonomyLike, extended
from ..taxonomy.open import initial_taxonomy
from .explanation import Contribution, Explanation, Floats, effects, explained, ranked
from .predictor import Predictor
from .unseen import NONE, Unseen

ROWS = 4096  # maximum number of rows of a slice


class TaxonomyModel(Predictor, base.Estimator):
    """A model with a score at every node of a taxonomy.

    A given taxonomy is closed: an unknown label is an error. `None` is an open, flat one under
    `"root"`, to which labels are added as they arrive; an `OpenTaxonomy` grows with paths.
    """

    def __init__(self, taxonomy: TaxonomyLike) -> None:
        self.taxonomy: TaxonomyLike = taxonomy
        self._labels = Labels(initial_taxonomy(taxonomy))

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
        self._forget(self._taxonomy._arrays.branch(self._taxonomy.index(label)))

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
        nodes = explained(self.explain_one(x), self._taxonomy, decimals)
        return "\n".join([self._debug_title(x), *nodes])

    # Defined by the kind of learner, single-label or multilabel

    @abc.abstractmethod
    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        """The first line of `debug_one`."""

    @abc.abstractmethod
    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        """The nodes that `explain_one` shows, in order, and whether they are on."""

    @abc.abstractmethod
    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        """P(on) of every node; for a single label, P(the label lies at or below the node)."""

    # Defined by the learner

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

    def _grow(self, taxonomy: Taxonomy, x: Mapping[Any, Any], y: Any, w: float) -> None:
        """Learn from an example with new labels, which are in this larger taxonomy."""
        self._check(x, w)
        self._extend(taxonomy, unseen=False)
        self._learn(x, y, w)

    @abc.abstractmethod
    def _record(self, y: Any) -> None:
        """Record that the model has learned from these targets of `_learn_slice`."""

    @abc.abstractmethod
    def _forget(self, nodes: Nodes) -> None:
        """Reset a branch, given its nodes without the root, or refuse."""

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
