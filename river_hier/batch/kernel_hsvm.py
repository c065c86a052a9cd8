from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kernel.functions import RBF, Function, Kernel
from ..kernel.instances import check_kernel
from ..taxonomy import Taxonomy
from .examples import Examples
from .solvers import KernelSolver
from .support_vectors import SupportVectorModel


class KernelHSVM(SupportVectorModel):
    """H-SVM with kernels: a kernel machine at every node, from the top down.

    The support vector machine of node i minimises

    $$\\tfrac{1}{2} \\|w_i\\|^2 + C \\sum_t [1 - v_{i,t} (w_i \\cdot \\phi(x_t) + b_i)]_+$$

    in the feature space of the kernel, $\\phi(x) \\cdot \\phi(z) = K(x, z)$. Otherwise it is the
    same as `HSVM`. Its flat counterpart is `KernelHSVM(taxonomy.flatten(), kernel)`.

    The support vectors of all nodes are stored once. To score an x, the kernel is evaluated at
    each of them, O(support vectors * features), and the values are weighted at each node,
    O(support vectors * nodes).

    Training computes the kernel matrix of the m examples once, O(m^2 * features), and takes
    LIBSVM's time for each node, between O(m^2) and O(m^3). It takes O(m^2) memory.

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
        If `C` is not positive; from `fit` and `predict_one`, if a feature or a value of the kernel
        is not a finite number; from `fit`, if there are no examples, a label is unknown, or a
        label is on while one of its ancestors is explicitly False.
    RuntimeError
        From every method but `fit`, if the model has not been fitted.
    ImportError
        From `fit`, if scikit-learn is missing.

    Notes
    -----
    With `kernel.Linear()` and C = 1 this is H-SVM as in section 8 of the paper [^1].

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

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(
        self, taxonomy: Taxonomy, kernel: Kernel | Function | None, C: float = 1.0
    ) -> None:
        super().__init__(taxonomy, taxonomy, C)
        check_kernel(kernel)
        self.kernel = kernel

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        for parameters in super()._unit_test_params():
            yield {**parameters, "kernel": RBF()}

    def _solver(self, examples: Examples) -> KernelSolver:
        return KernelSolver(examples, self.taxonomy, self.kernel, self.C)
