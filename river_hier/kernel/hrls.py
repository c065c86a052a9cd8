from __future__ import annotations

from .. import linear_model
from .least_squares import KernelLeastSquares


class HRLS(KernelLeastSquares):
    """H-RLS with a kernel: regularised least squares at every node, from the top down.

    It is `linear_model.HRLS` in the space of a kernel K. A node learns from every example whose
    parents are truly on. With the labels $v = \\pm 1$ of the examples that it has seen and their
    matrix $K_{ij} = K(x_i, x_j)$, the score of an x is

    $$\\frac{k^\\top (\\lambda I + K)^{-1} v}{1 + r}, \\quad k_i = K(x_i, x), \\quad
    r = \\frac{K(x, x) - k^\\top (\\lambda I + K)^{-1} k}{\\lambda},$$

    where the denominator counts x in, as in the paper.

    All children of a node see the same Q examples, so they share one Cholesky factor, which grows
    by one row per example. Learning takes one row of the kernel, shared by all nodes, and $O(Q^2)$
    for each node that is truly on and has children; memory is $Q^2 / 2$ numbers for each of them.
    Predicting takes a row of the kernel and O(Q) a node visited; scores and probabilities take
    $O(Q^2)$.

    For an endless stream, set a `budget`. Once the children of a node hold more examples, they keep
    at most four fifths of it, chosen as in `Hieron`, by the squared coefficients of all children.
    The contribution of the others to w is projected onto those, and from then on w is regularised
    towards this $w_0$ instead of 0: $\\min_w \\lambda \\|w - w_0\\|^2 + \\sum (v - w \\cdot
    \\phi(x))^2$ over the kept examples. (The budget of `linear_model.HRLS` works differently: it
    drops the oldest and need not project, as its $w_0$ consists of feature weights.)

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive; a new label
        counts as off in all earlier examples.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or any function
        of two feature dicts that returns a number; it must be symmetric and positive semi-definite.
        With a custom function, features may be of any type, and a step calls it once for each
        stored example. `None` is the linear kernel.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.
    budget
        The maximum number of examples that the children of a node hold, at least 2; `None` for no
        limit.

    Raises
    ------
    TypeError
        If `kernel` is not a function, or `budget` not an integer; from `learn_one` and
        `predict_one`, if a custom kernel function does not return a number.
    ValueError
        If `l2` is not positive or `budget` below 2; from `learn_one` and `predict_one`, if a
        feature or a value of the kernel is not a finite number, $K(x, x) / \\lambda$ is above
        $10^{12}$, a label is unknown, or a label is on although one of its ancestors is explicitly
        False.

    Notes
    -----
    Figure 3, Eq. (1) and Remark 3 of the paper [^1], which has no budget. For an x with $K(x, x) =
    0$ all scores are 0, which counts as on, and learning from it changes nothing.

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
    >>> hrls = kernel.HRLS(taxonomy, kernel.RBF(sigma=2.0), budget=100)
    >>> model = preprocessing.StandardScaler() | hrls
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(datasets.ImageSegments().take(500), model, metric)
    HLoss: 0.334

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    _limit = linear_model.HRLS._limit  # Figure 3
    _add_nodes = linear_model.HRLS._add_nodes
