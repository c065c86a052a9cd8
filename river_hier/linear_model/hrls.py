from .least_squares import LeastSquaresModel


class HRLS(LeastSquaresModel):
    """H-RLS: regularised least squares at every node, trained and evaluated from the top down.

    A node learns from every example whose parents are truly on. With the instances $S = [x_1 \\dots
    x_Q]$ that it has seen and their labels $v = \\pm 1$, its weights for a new instance x, which
    the paper counts in, are

    $$w = (\\lambda I + S S^\\top + x x^\\top)^{-1} S v.$$

    All children of a node see the same instances, so they share one system of equations: in dual
    variables, one for each of the Q instances, until there are as many as features d, then in
    primal ones. An error is raised where $\\|x\\|^2 / \\lambda$ is above $10^{12}$.

    A step takes $O(\\min(Q, d)^2)$ for each node that is truly on, and as much memory. Predicting
    takes, in dual variables, the dot products of x with the stored instances, and O(Q) for each
    visited label; in primal ones O(d). Scores and probabilities take $O(\\min(Q, d)^2)$ for every
    inner node.

    For a long stream with many features, set a `budget`. Once a node holds more instances, it drops
    the oldest, down to half of the budget. From then on, w is regularised towards the contribution
    $w_0$ of the dropped instances instead of towards 0: the system is exactly
    $\\min_w \\lambda \\|w - w_0\\|^2 + \\sum (v - w \\cdot x)^2$ over the kept instances.

    With `forgetting` $f < 1$ the past is discounted in periods of $h = \\lceil \\log_f 1/2 \\rceil$
    examples that the node was trained on: at the end of each period, everything seen so far is
    weighted by $f^h$, one half or slightly less. Of Q examples the i-th, from 0, then has an age
    $a_i$, and the weights are

    $$w = \\Bigl(\\lambda I + \\sum_i f^{a_i} x_i x_i^\\top + x x^\\top\\Bigr)^{-1}
    \\sum_i f^{a_i} v_i x_i, \\qquad
    a_i = h \\lfloor Q / h \\rfloor - h \\lfloor i / h \\rfloor.$$

    The regularisation is not discounted, so the solution stays stable for features that no longer
    occur. In dual variables an instance is dropped once $f^{a_i} \\max(1, \\|x_i\\|^2 / \\lambda) <
    1/1000$, so a `budget` cannot be given as well. The end of a period takes $O(Q^3)$, or $O(d^3)$.
    The flat counterpart is `HRLS(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; `None` or an `OpenTaxonomy` takes labels as they arrive. A new label counts
        as off in all earlier examples.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.
    budget
        The maximum number of instances that a node holds in dual variables, at least 2; `None` for
        no limit.
    forgetting
        The factor by which one more example reduces the weight of the earlier ones, on average; 1
        forgets nothing.
    intercept
        The value of a constant feature that is added to every x; 0 adds none.

    Notes
    -----
    Figure 3 and Eq. (1) of the paper [^1]. The text writes the labels as {0, 1}; the paper's own
    analysis needs {-1, +1}. The paper assumes examples of unit norm, as by
    `preprocessing.Normalizer() | HRLS(...)`. `score_one` is the paper's $w \\cdot x$, and
    `predict_proba_one` puts it into the paper's label model, (1 + score) / 2. An x that is empty or
    zero is treated as in `HPerceptron`. `forgetting` cannot be combined with a `budget`.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = linear_model.HRLS(taxonomy)
    >>> metric = metrics.HLoss(taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.5525

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """
