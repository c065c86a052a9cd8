"""Support vector machines: one at each node, trained by scikit-learn."""

import importlib
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from .._core import top_down
from ..base.checks import check_positive
from ..taxonomy import Label, Taxonomy
from .estimator import BatchEstimator, progress
from .expansions import Examples, Floats, LinearExpansion, Mask


class HSVM(BatchEstimator):
    """H-SVM: a linear support vector machine at every node, from the top down.

    The support vector machine of node i minimises

    $$\\tfrac{1}{2} \\|w_i\\|^2 + C \\sum_t [1 - v_{i,t} \\, w_i \\cdot x_t]_+$$

    over the examples in which the parents of i are on, with $v_{i,t} = \\pm 1$. A node is on if its
    parents are and $w_i \\cdot x \\ge 0$. The bias is the weight of a constant 1.

    After `fit`, the model no longer learns. Training takes LIBLINEAR's time for each node,
    O(nonzeros of the node's examples) a pass, and one byte for each pair of an example and a node,
    besides the examples; predicting takes O(features of x * nodes), and the weights
    O(features * nodes) memory. The flat counterpart is `HSVM(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are.
    C
        The weight of the loss against the margin.

    Notes
    -----
    The comparator of section 8 of the paper [^1], with C = 1 as there. The paper
    used LIBSVM, which leaves the bias out of $\\|w_i\\|^2$. A node whose examples are all on, or
    that has none, always has the score 1; if all are off, -1. `fit` needs scikit-learn; before it,
    other methods raise a `RuntimeError`.

    Examples
    --------

    >>> from itertools import islice
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, batch, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = batch.HSVM(taxonomy).fit(stream.take(2000))
    >>> evaluate.progressive_val_score(islice(stream, 2000, 4000), model, metrics.HLoss(taxonomy))
    HLoss: 0.5225

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(self, taxonomy: Taxonomy, C: float = 1.0) -> None:
        super().__init__(taxonomy)
        check_positive("C", C)
        self.C = C

    def fit(self, examples: Examples) -> Self:
        try:  # before the examples are read, as it may be missing
            svm = importlib.import_module("sklearn.svm").LinearSVC
        except ImportError:
            raise ImportError(
                "support vector machines need scikit-learn: pip install 'river-hier[batch]'"
            ) from None
        expansion, n_nodes = LinearExpansion(examples, self.taxonomy), len(self.taxonomy)
        bias = np.ones(n_nodes)
        for v in progress(range(1, n_nodes), "nodes"):
            seen = np.flatnonzero(expansion.on[:, self.taxonomy._arrays.parents[v]].all(axis=1))
            yes = expansion.on[seen, v]
            if yes.all():  # or there are none
                continue
            bias[v] = -1.0
            if yes.any():  # with the hinge loss the machine regularises the bias, too
                machine = svm(loss="hinge", C=self.C, max_iter=20_000, random_state=0)
                machine.fit(expansion.X[seen], yes)
                expansion.w[:, v] = machine.coef_[0]
                bias[v] = float(machine.intercept_[0])
        self._trained = expansion.scorers(), bias
        return self

    @property
    def weights(self) -> dict[Label, dict[Any, float]]:
        """The weights of each node but the root without its bias, `{label: {feature: weight}}`."""
        self._check_fitted()
        features, w = self._trained[0]
        names, columns = features.names(), zip(self.taxonomy.nodes[1:], w.T[1:], strict=True)
        return {label: dict(zip(names, u.tolist(), strict=False)) for label, u in columns}

    def _on(self, scores: Floats) -> Mask:
        return top_down(scores >= 0.0, self.taxonomy._arrays)

    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        self._check_fitted()
        scorers, bias = self._trained
        return bias + scorers.scores(x)
