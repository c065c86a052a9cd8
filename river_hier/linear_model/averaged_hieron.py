from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import (
    Batch,
    Vector,
    Vectors,
    Weights,
    averaged_hieron_answer,
    averaged_hieron_step,
    averaged_hieron_steps,
    averaged_scores,
    own_prototypes,
    path_sums,
    remap_weights,
)
from ..base import MiniBatchSingleLabelModel, check_cap, check_dtype
from ..base.model import Floats
from ..taxonomy import Label, NodeMapping, TaxonomyLike
from .hieron import Hieron

__all__ = ["AveragedHieron"]


class AveragedHieron(MiniBatchSingleLabelModel):
    """Batch Hieron in one pass: averaged weights, updates for the worst label.

    Two changes set it apart from online `Hieron`, and they come together. An update is made for
    the label with the largest loss, $\\operatorname{argmax}_v W^v \\cdot x + \\sqrt{\\gamma(y,
    v)}$, rather than for the predicted one. And predictions come from the average of all
    hypotheses so far, $w_1 = 0, w_2, \\dots, w_{m+1}$ after m examples.

    The average costs what the step touches: with a step $s_i$ in round i,

    $$\\frac{1}{m+1} \\sum_{i=1}^{m+1} w_i = w_{m+1} - \\frac{1}{m+1} \\sum_{i=1}^m i \\, s_i,$$

    so one more matrix of weights is kept and no past hypothesis. A step takes O(features of x *
    nodes).

    Its flat counterpart is `AveragedHieron(taxonomy.flatten())`, with the root in the middle of
    the star; see `Hieron`.

    Parameters
    ----------
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added under the root
        as they arrive.
        An `OpenTaxonomy` grows along labels that are paths.
    C
        The largest step $\\alpha$: the smaller, the less one example can do, whose label may be
        wrong. Without a cap, `math.inf`, the step is the paper's.
    n_features
        A power of 2: hash the names of features into so many rows, in bounded memory for ever.
        Names that meet in a row are taken for one. `None` remembers every name.
    dtype
        What weights are stored in, `"float64"` or `"float32"`.

    Raises
    ------
    ValueError
        If the taxonomy is a DAG, `C` not positive or `n_features` not a power of 2; from
        `learn_one` and `predict_one`, if a feature is not a finite number or a label is unknown.

    Notes
    -----
    Section 4 of the paper [^1]. Its Eq. (15) gives round i the weight (m + 2 - i) / (m + 1),
    counting the step that leads to hypothesis i as the i-th; here, as in Algorithm 1, the i-th
    step leads away from it, and has weight (m + 1 - i) / (m + 1). The average is the same,
    Eq. (13). The cap is not in the paper; see `Hieron`. An x that is empty or zero counts as a
    round.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = linear_model.AveragedHieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)

    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 0.2385

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification. In
        Proceedings of the 21st International Conference on Machine Learning, p. 27.](
        https://doi.org/10.1145/1015330.1015374)

    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        C: float = math.inf,
        n_features: int | None = None,
        dtype: str = "float64",
    ) -> None:
        super().__init__(taxonomy, n_features)
        check_cap("C", C)
        check_dtype("dtype", dtype)
        self.C = C
        self.dtype = dtype
        self._taxonomy.check_tree()
        self._w = Weights(len(self._taxonomy), dtype)  # w_{m+1}, the current hypothesis
        self._lag = Weights(len(self._taxonomy), dtype)  # the sum of i s_i
        self._m = 0

    @property
    def last(self) -> Hieron:
        """The last hypothesis $w_{m+1}$ without the average, as an online `Hieron` of its own."""
        model = Hieron(self.taxonomy, self.C, self.n_features, self.dtype)
        parts = (self._taxonomy, self._labels, self._features, self._w)
        model._taxonomy, model._labels, model._features, model._w = copy.deepcopy(parts)
        return model

    def _scores(self, x: Vector | Vectors) -> Floats:
        average = averaged_scores(self._w, self._lag, self._m, x)  # Eq. (13)
        return path_sums(average, self._taxonomy.arrays)

    def _learn(self, x: Mapping[Any, Any], y: int) -> None:
        i, C = self._m + 1, float(self.C)
        averaged_hieron_step(self._w, self._lag, i, C, self._features, self._labels, x, y)
        self._m = i

    def _learn_many(self, X: Batch, y: NDArray[np.uint32]) -> None:
        i, C = self._m + 1, float(self.C)
        averaged_hieron_steps(self._w, self._lag, i, C, self._features, self._labels, X, y)
        self._m += X.n

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        return averaged_hieron_answer(self._w, self._lag, self._m, self._features, self._labels, x)

    def _answers(self, X: Vectors) -> NDArray[np.intp]:
        best: NDArray[np.intp] = self._scores(X).argmax(axis=0)
        return best

    def _weights(self, v: int, n_features: int) -> Floats:
        lag = self._lag.column(v, n_features)
        return self._w.column(v, n_features) - lag / (self._m + 1)

    def _remap(self, change: NodeMapping) -> None:
        change.after.check_tree()
        onto = own_prototypes(change.sources, change.before.arrays, change.after.arrays)
        self._w, self._lag = remap_weights(self._w, onto), remap_weights(self._lag, onto)

    def _add_nodes(self, before: int, after: int) -> None:
        self._w.add_nodes(after)
        self._lag.add_nodes(after)
