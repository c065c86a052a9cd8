from __future__ import annotations

from .. import linear_model
from ..base.checks import check_positive
from ..taxonomy import TaxonomyLike
from .functions import Function, Kernel
from .least_squares import KernelLeastSquares


class SHRLS(KernelLeastSquares):
    """SH-RLS with a kernel: H-RLS that stores examples only at nodes whose score is small.

    It is `linear_model.SHRLS` in the space of a kernel: node i learns from an example of round t
    whose parents are truly on only if its score is at most $\\sqrt{c \\ln t / N_i}$, where $N_i$ is
    the number of examples it has stored so far (the first is always stored) and c the `threshold`.
    Otherwise it works as `HRLS` does. The nodes store different examples, so each has its own
    Cholesky factor; an example is stored once, whatever the number of nodes that use it.

    A step takes one row of the kernel, shared by all nodes, and for each node whose parents are
    truly on $O(N_i)$, or $O(N_i^2)$ where it stores x or comes close to it; memory is $N_i^2 / 2$
    numbers a node. Predicting takes the row and $O(N_i)$ a node visited; scores and probabilities
    take $O(N_i^2)$.

    For an endless stream, set a `budget`, which works as in `HRLS`. $N_i$ still counts the dropped
    examples.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or any function
        of two feature dicts that returns a number; see `HRLS`. `None` is the linear kernel.
    threshold
        The constant c of the rule; 5 in the paper. Larger values store more.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.
    budget
        The maximum number of examples that a node holds, at least 2; `None` for no limit.

    Raises
    ------
    TypeError
        If `kernel` is not a function, or `budget` not an integer; from `learn_one` and
        `predict_one`, if a custom kernel function does not return a number.
    ValueError
        If `threshold` or `l2` is not positive or `budget` below 2; from `learn_one` and
        `predict_one`, if a feature or a value of the kernel is not a finite number, $K(x, x) /
        \\lambda$ is above $10^{12}$, a label is unknown, or a label is on although one of its
        ancestors is explicitly False.

    Notes
    -----
    Section 8 and Remark 3 of the paper [^1], which has no budget. For an x with $K(x, x) = 0$ all
    scores are 0, which counts as on, and learning from it only counts as a round.

    Examples
    --------

    >>> from river import datasets, evaluate, preprocessing
    >>> from river_hier import Taxonomy, kernel, metrics

    >>> taxonomy = Taxonomy.from_nested(
    ...     {
    ...         "nature": ["sky", "foliage", "grass"],
    ...         "built": ["brickface", "cement", "window", "path"],
    ...     }
    ... )
    >>> shrls = kernel.SHRLS(taxonomy, kernel.RBF(sigma=2.0))
    >>> model = preprocessing.StandardScaler() | shrls
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(500), model, metric)
    HLoss: 0.34

    >>> shrls.n_stored["sky"], shrls.n_stored["path"]
    (89.0, 139.0)

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        kernel: Kernel | Function | None = None,
        threshold: float = 5.0,
        l2: float = 1.0,
        budget: int | None = None,
    ) -> None:
        check_positive("threshold", threshold)
        self.threshold = threshold
        super().__init__(taxonomy, kernel, l2, budget)

    _limit = linear_model.SHRLS._limit  # section 8
    _add_nodes = linear_model.SHRLS._add_nodes
