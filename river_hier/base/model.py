"""What all learners in a taxonomy share."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base

from .._backend import Labels
from ..taxonomy import (
    Label,
    NodeMapping,
    Renamed,
    Taxonomy,
    TaxonomyLike,
    map_nodes,
    without_branch,
)
from ..taxonomy.open import initial_taxonomy
from .explanation import Explanation, Part, ranked

Floats = NDArray[np.float64]


class TaxonomyModel(base.Estimator):
    """A model with a score at every node of a taxonomy.

    A taxonomy that is given is closed: an unknown label is an error. With `None` the model
    starts from an open, flat taxonomy, to which labels are added as they arrive; the label of its
    root, `"root"`, is none of them. An `OpenTaxonomy` grows along labels that are paths.

    A refused example changes nothing: x and y are read before anything is written.
    """

    def __init__(self, taxonomy: TaxonomyLike) -> None:
        self._taxonomy = initial_taxonomy(taxonomy)
        self.taxonomy = taxonomy
        self._labels = Labels(self._taxonomy)

    def score_one(self, x: Mapping[Any, Any]) -> dict[Label, float]:
        """The score of each label.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: score}`; multilabel models leave out the root.

        """
        scores = self._scores_one(x).tolist()
        return dict(zip(self._taxonomy.nodes[self._first :], scores[self._first :], strict=True))

    def explain_one(self, x: Mapping[Any, Any]) -> dict[Label, Explanation]:
        """What the prediction for x is made of.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        `{label: reason}` from the top down. A multilabel model shows the nodes that it asked, those
        whose parents are on. A single-label model shows the path of its answer and, before each
        node on it and below its end, the best of those that lost: the sibling with the largest
        score.

        A reason has the fields `on`, whether the node is on in the answer; `score`;
        `probability`, that the node is on or, for a single label, that the label is the node or
        below it; and `parts`, a list of `(feature, part)`, the largest first. Parts add up to the
        score, but for a score that an x without features has as well. In least squares they have
        been divided by `1 + r`, as the score is. Models with kernels have no weights of features:
        there the parts are those of the examples that they have stored, `(example, part)`.

        Takes one prediction for each feature of x.

        """
        scores, likely = self._scores_one(x), self._node_probabilities(x)
        asked = self._visited(x)
        parts = self._parts(x, list(asked))
        return {
            self._taxonomy.nodes[v]: Explanation(
                on, float(scores[v]), float(likely[v]), ranked(found)
            )
            for (v, on), found in zip(asked.items(), parts, strict=True)
        }

    def adopt(self, taxonomy: Taxonomy, renamed: Renamed | None = None) -> None:
        """Carry on with another taxonomy, keeping what has been learned.

        Nodes are known by their labels. One that is new starts from its parent: until it learns it
        is decided as the parent is, unless what its siblings have learned from is stored, in which
        it was off. The model is closed from then on. What is refused changes nothing.

        Parameters
        ----------
        taxonomy
            The taxonomy to carry on with, e.g. `model.taxonomy.extend([(parent, child)])`.
        renamed
            `{old label: new label}` for nodes whose label changes, `{old label: None}` for nodes
            that are forgotten. Nodes with the same new label are merged, where the model can do
            that. A label that is not in the new taxonomy must be among them.

        """
        change = map_nodes(self._taxonomy, taxonomy, renamed)
        self._remap(change)
        self._taxonomy, self._labels = taxonomy, Labels(taxonomy)
        self.taxonomy = taxonomy

    def forget(self, label: Label) -> None:
        """Start anew at a node and all that is below it; nothing changes elsewhere.

        The branch is as in a model that has never learned: until it learns, a model of several
        labels says yes there, and one of a single label gives it the scores of its parent. O(the
        numbers of the whole model), so it is no part of every step.

        Parameters
        ----------
        label
            The node. All is forgotten below the root, whose own weights are none.

        """
        self._remap(without_branch(self._taxonomy, label))

    def debug_one(self, x: Mapping[Any, Any], decimals: int = 3) -> str:
        """Explain the prediction for x: the text of `explain_one`.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            How many decimals to print.

        Returns
        -------
        A text: the nodes that were decided about, each with its score and with the features, or
        in models with kernels the stored examples, that weighed most.

        """
        lines = [self._debug_title(x)]
        for label, why in self.explain_one(x).items():
            indent = "  " * self._taxonomy.depth(label)
            lines.append(f"{indent}{label!r}: {why.score:+.{decimals}f}{why.top_terms(decimals)}")
        return "\n".join(lines)

    # What a kind of learner fills in

    _first: int  # the first node that is predicted: 0, or 1 where the root is not

    @abc.abstractmethod
    def _debug_title(self, x: Mapping[Any, Any]) -> str:
        """The first line of `debug_one`."""

    @abc.abstractmethod
    def _visited(self, x: Mapping[Any, Any]) -> dict[int, bool]:
        """The nodes that `explain_one` shows, in order, and whether they are on."""

    @abc.abstractmethod
    def _node_probabilities(self, x: Mapping[Any, Any]) -> Floats:
        """P(on) of every node; of a single label, P(the label is the node or below it)."""

    # What an algorithm fills in

    @abc.abstractmethod
    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        """The score of every node."""

    @abc.abstractmethod
    def _parts(self, x: Mapping[Any, Any], nodes: Sequence[int]) -> list[list[Part]]:
        """For each of these nodes the parts of its score."""

    @abc.abstractmethod
    def _add_nodes(self, before: int, after: int) -> None:
        """Make room for the nodes of an open flat taxonomy that has grown."""

    @abc.abstractmethod
    def _remap(self, change: NodeMapping) -> None:
        """Let every node of another taxonomy carry on what its sources have learned, or refuse."""

    # An open taxonomy

    def _grow(self, taxonomy: Taxonomy, x: Mapping[Any, Any]) -> None:
        """Carry on with an open taxonomy that has grown, unless something is wrong with x."""
        self._check(x)
        if self.taxonomy is None:  # new nodes are the last ones
            self._add_nodes(len(self._taxonomy), len(taxonomy))  # may be refused: before all else
        else:
            self._remap(map_nodes(self._taxonomy, taxonomy))
        self._taxonomy, self._labels = taxonomy, Labels(taxonomy)

    def _check(self, x: Mapping[Any, Any]) -> None:
        """Raise an error if the algorithm cannot learn from x."""
        self._scores_one(x)  # weights of dtype "float32" do not take every x
