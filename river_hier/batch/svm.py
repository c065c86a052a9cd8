from __future__ import annotations

from ..taxonomy import Taxonomy, check_taxonomy
from .examples import Examples
from .solvers import LinearSolver
from .support_vectors import SupportVectorModel


class SVM(SupportVectorModel):
    """Flat support vector machines: an independent linear one for each node.

    Each node is trained on all examples and predicted independently of the others. The taxonomy
    only fills in the ancestors of the labels in y, so a node may be predicted on while its parent
    is off. It equals `HSVM(taxonomy.flatten())`.

    Cost and memory are those of `HSVM`, with all examples at every node.

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
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
    The flat variant of H-SVM in the paper [^1], section 8; see `HSVM` for differences.

    Examples
    --------

    >>> from itertools import islice
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, batch, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = batch.SVM(taxonomy).fit(stream.take(2000))
    >>> metric = metrics.HLoss(taxonomy)

    >>> evaluate.progressive_val_score(islice(stream, 2000, 4000), model, metric)
    HLoss: 0.605

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(self, taxonomy: Taxonomy, C: float = 1.0) -> None:
        check_taxonomy(taxonomy)
        super().__init__(taxonomy, taxonomy.flatten(), C)

    def _solver(self, examples: Examples) -> LinearSolver:
        return LinearSolver(examples, self.taxonomy, self.C)
