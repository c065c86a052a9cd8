from __future__ import annotations

from ..taxonomy import Taxonomy
from .examples import Examples
from .solvers import LinearSolver
from .support_vectors import SupportVectorModel


class HSVM(SupportVectorModel):
    """H-SVM: a linear support vector machine at every node, from the top down.

    The support vector machine of node i minimises

    $$\\tfrac{1}{2} \\|w_i\\|^2 + C \\sum_t [1 - v_{i,t} \\, w_i \\cdot x_t]_+$$

    over the examples in which the parents of i are on, with $v_{i,t} = \\pm 1$. A node is predicted
    on if its parents are and $w_i \\cdot x \\ge 0$. The bias is the weight of a feature that is
    always 1.

    Training uses all examples at once, in as many passes as it needs, which makes H-SVM a
    comparator for learners that see each example once. After `fit`, River's loops and
    `evaluate.regret` take it as a model that no longer learns.

    Training takes LIBLINEAR's time for each node, O(nonzeros of the node's examples) a pass.
    Predicting takes O(features of x * nodes). The weights take O(features * nodes) memory;
    training takes one more byte for each pair of an example and a node, besides the examples.

    `SVM` is its flat counterpart.

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
    slower. On a few examples that contradict each other, scikit-learn's LIBLINEAR may stop before
    the optimum. If all examples of a node are on, it is always on; if all are off, always off. A
    node without examples is on, as in the paper's learners.

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

    def __init__(self, taxonomy: Taxonomy, C: float = 1.0) -> None:
        super().__init__(taxonomy, taxonomy, C)

    def _solver(self, examples: Examples) -> LinearSolver:
        return LinearSolver(examples, self.taxonomy, self.C)
