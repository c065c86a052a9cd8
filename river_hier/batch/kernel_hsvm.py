from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..base import check_positive
from ..taxonomy import Taxonomy
from .machines import Floats, KernelMachines
from .scikit_learn import solvers
from .support_vectors import SupportVectorModel

__all__ = ["KernelHSVM"]

KERNELS = ("rbf", "poly", "sigmoid", "linear")


class KernelHSVM(SupportVectorModel):
    """H-SVM with kernels: a kernel machine at every node, trained and evaluated from the top down.

    It is trained and answers as `HSVM` does, with LIBSVM as solver, which leaves the bias out of
    the norm that it keeps small. Its flat counterpart is `KernelHSVM(taxonomy.flatten())`.

    Training a node takes between O(m^2) and O(m^3) kernels for its m examples, predicting one for
    each support vector of each node.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are.
    C
        The weight of the loss against the margin.
    kernel
        `"rbf"`, `"poly"` (of degree 3), `"sigmoid"` or `"linear"`, as in scikit-learn's `SVC`.
    gamma
        The coefficient of all but the linear kernel: a positive number, or `"scale"` for 1 /
        (features * variance of the values) at each node.

    Raises
    ------
    ValueError
        If a parameter is none of these; from `fit` and `predict_one`, if a feature is not a finite
        number; from `fit`, if there are no examples, a label is unknown, or a label is on whose
        ancestor is explicitly False.
    RuntimeError
        From all but `fit`, if the model has not been fitted.
    ImportError
        From `fit`, if scikit-learn is missing.

    Notes
    -----
    With a linear kernel and C = 1 this is H-SVM as the paper [^1] ran it, section 8.

    Examples
    --------

    >>> from itertools import islice
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, batch, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = batch.KernelHSVM(taxonomy).fit(stream.take(500))
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(islice(stream, 500, 1000), model, metric)
    HLoss: 0.582

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        C: float = 1.0,
        kernel: str = "rbf",
        gamma: float | str = "scale",
    ) -> None:
        super().__init__(taxonomy, taxonomy, C)
        if kernel not in KERNELS:
            raise ValueError(f"`kernel` must be one of {', '.join(KERNELS)}, got {kernel!r}")
        if gamma != "scale":
            check_positive("gamma", gamma)
        self.kernel = kernel
        self.gamma = gamma

    def _solver(self) -> Callable[[], Any]:
        return partial(solvers().SVC, C=self.C, kernel=self.kernel, gamma=self.gamma)

    def _together(
        self, constant: Floats, trained: dict[int, Any], n_features: int
    ) -> KernelMachines:
        return KernelMachines(constant, trained, n_features)
