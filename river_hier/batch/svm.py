"""Support vector machines: one at each node, trained by scikit-learn."""

from __future__ import annotations

import abc
import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Self

import numpy as np

from .._core.paths import top_down
from ..base.checks import check_positive
from ..base.predictor import masked_nodes
from ..kernel.functions import RBF, Function, Kernel
from ..kernel.instances import check_kernel
from ..taxonomy import Taxonomy
from .estimator import BatchEstimator, Progress
from .expansions import Examples, Expansion, Floats, KernelExpansion, LinearExpansion


def _sklearn_svm() -> Any:
    """The module `sklearn.svm`; scikit-learn is imported only when there is something to train."""
    try:
        return importlib.import_module("sklearn.svm")
    except ImportError:
        raise ImportError(
            "support vector machines need scikit-learn: pip install 'river-hier[batch]'"
        ) from None


class SupportVectorModel(BatchEstimator):
    """A support vector machine at every node but the root.

    A node whose examples are all on, or that has none, has the score 1; one whose examples are all
    off, -1.
    """

    def __init__(self, taxonomy: Taxonomy, C: float = 1.0) -> None:
        super().__init__(taxonomy)
        check_positive("C", C)
        self.C = C

    def fit(self, examples: Examples) -> Self:
        svm = self._svm()  # before the examples are read, as it may be missing
        expansion, n_nodes = self._read(examples), len(self.taxonomy)
        bias = np.ones(n_nodes)
        for v in Progress(range(1, n_nodes), "nodes"):
            seen = np.flatnonzero(expansion.on[:, self.taxonomy._parent_indices[v]].all(axis=1))
            yes = expansion.on[seen, v]
            if not yes.all():
                bias[v] = expansion.separate(svm(), v, seen, yes) if yes.any() else -1.0
        self._trained = expansion.scorers(bias)
        return self

    def _nodes_on(self, x: Mapping[Any, Any]) -> list[int]:
        return masked_nodes(top_down(self._scores(x) >= 0.0, self.taxonomy._arrays))

    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        self._check_fitted()
        scores: Floats = self._trained.scores(x)
        return scores

    @abc.abstractmethod
    def _svm(self) -> Callable[[], Any]:
        """Makes the support vector machine of a node."""

    @abc.abstractmethod
    def _read(self, examples: Examples) -> Expansion:
        """The examples, with all weights at 0."""


class HSVM(SupportVectorModel):
    """H-SVM: a linear support vector machine at every node, from the top down.

    The support vector machine of node i minimises

    $$\\tfrac{1}{2} \\|w_i\\|^2 + C \\sum_t [1 - v_{i,t} \\, w_i \\cdot x_t]_+$$

    over the examples in which the parents of i are on, with $v_{i,t} = \\pm 1$. A node is predicted
    on if its parents are and $w_i \\cdot x \\ge 0$. The bias is the weight of a feature that is
    always 1.

    Training uses all examples at once; after `fit`, River's loops and `evaluate.regret` take the
    model as one that no longer learns. It takes LIBLINEAR's time for each node, O(nonzeros of the
    node's examples) a pass, and predicting O(features of x * nodes). The weights take
    O(features * nodes) memory; training takes one more byte for each pair of an example and a node,
    besides the examples. The flat counterpart is `HSVM(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are.
    C
        The weight of the loss against the margin.

    Raises
    ------
    ValueError
        If `C` is not positive; from `fit` and `predict_one`, if a feature is not a finite number;
        from `fit`, if there are no examples, a label is unknown, or a label is on while one of its
        ancestors is explicitly False.
    RuntimeError
        From every method but `fit`, if the model has not been fitted.
    ImportError
        From `fit`, if scikit-learn is missing.

    Notes
    -----
    The comparator of the paper [^1], section 8, with C = 1 as there. The paper used LIBSVM, which
    leaves the bias out of $\\|w_i\\|^2$: that is `KernelHSVM(taxonomy, kernel.Linear())`, and much
    slower. If all examples of a node are on, or it has none, it is always on; if all are off,
    always off.

    Examples
    --------

    >>> from itertools import islice
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, batch, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = batch.HSVM(taxonomy).fit(stream.take(2000))
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(islice(stream, 2000, 4000), model, metric)
    HLoss: 0.5225

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def _svm(self) -> Callable[[], Any]:
        svm = _sklearn_svm().LinearSVC  # with the hinge loss it regularises the bias, too
        return partial(svm, loss="hinge", C=self.C, max_iter=20_000, random_state=0)

    def _read(self, examples: Examples) -> LinearExpansion:
        return LinearExpansion(examples, self.taxonomy)


class KernelHSVM(SupportVectorModel):
    """H-SVM with kernels: a kernel machine at every node, from the top down.

    The support vector machine of node i minimises

    $$\\tfrac{1}{2} \\|w_i\\|^2 + C \\sum_t [1 - v_{i,t} (w_i \\cdot \\phi(x_t) + b_i)]_+$$

    in the feature space of the kernel, $\\phi(x) \\cdot \\phi(z) = K(x, z)$. Otherwise it is the
    same as `HSVM`. Its flat counterpart is `KernelHSVM(taxonomy.flatten(), kernel)`.

    The support vectors of all nodes are stored once; scoring an x takes O(support vectors *
    (features + nodes)). Training computes the kernel matrix of the m examples once, O(m^2 *
    features) and O(m^2) memory, and takes LIBSVM's time for each node, between O(m^2) and O(m^3).

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or a function of
        two feature dicts that returns a number, symmetric and positive semi-definite. With a
        function, features may be of any type; scoring calls it for each support vector. `None`
        is the linear kernel.
    C
        The weight of the loss against the margin.

    Raises
    ------
    TypeError
        If `kernel` is not callable; from `fit` and `predict_one`, if the function does not return a
        number.
    ValueError
        As in `HSVM`; from `fit` and `predict_one`, if a value of the kernel is not a finite number.

    Notes
    -----
    With `kernel.Linear()` and C = 1 this is H-SVM as in section 8 of the paper of `HSVM`.

    Examples
    --------

    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, batch, kernel, metrics

    >>> taxonomy = Taxonomy.from_nested(
    ...     {
    ...         "nature": ["sky", "foliage", "grass"],
    ...         "built": ["brickface", "cement", "window", "path"],
    ...     }
    ... )
    >>> scaler = preprocessing.StandardScaler()
    >>> images = list(datasets.ImageSegments())
    >>> for x, _ in images[:500]:
    ...     scaler.learn_one(x)
    >>> examples = [(scaler.transform_one(x), y) for x, y in images]
    >>> model = batch.KernelHSVM(taxonomy, kernel.RBF(sigma=2.0)).fit(examples[:500])
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(examples[500:], model, metric)
    HLoss: 0.190055

    """

    def __init__(
        self, taxonomy: Taxonomy, kernel: Kernel | Function | None, C: float = 1.0
    ) -> None:
        super().__init__(taxonomy, C)
        check_kernel(kernel)
        self.kernel = kernel

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        for parameters in super()._unit_test_params():
            yield {**parameters, "kernel": RBF()}

    def _svm(self) -> Callable[[], Any]:
        # SVC draws a random number that it does not use; a fixed seed spares the global state.
        return partial(_sklearn_svm().SVC, kernel="precomputed", C=self.C, random_state=0)

    def _read(self, examples: Examples) -> KernelExpansion:
        return KernelExpansion(examples, self.taxonomy, self.kernel)
