from ..base.checks import check_positive
from ..taxonomy import TaxonomyLike
from .least_squares import LeastSquaresModel


class SHRLS(LeastSquaresModel):
    """SH-RLS: H-RLS that stores an instance only at nodes whose score is small.

    Node i learns from an example of round t whose parents are truly on only if its score is small,

    $$|w_{i,t} \\cdot x_t| \\le \\sqrt{c \\ln t / N_i},$$

    where $N_i$ is the number of instances it has stored so far (the first is always stored) and c
    the `threshold`. Otherwise it works as `HRLS` does. The nodes store different instances, so each
    has its own system of equations, in dual or primal variables.

    A step takes $O(\\min(N_i, d)^2)$ for each node whose parents are truly on and which stores x or
    comes close to it, and as much memory; the dot products with x, O(stored nonzeros), are shared
    by all nodes. Predictions cost as in `HRLS`, but for every node instead of every inner one.

    With a `budget`, $N_i$ still counts the dropped instances. With `forgetting` $f < 1$ the periods
    are of h examples that the node is trained on, stored or not, and $N_i$ is discounted as well,
    to $f^h N_i$. The flat counterpart, S-RLS, is `SHRLS(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; `None` or an `OpenTaxonomy` takes labels as they arrive. A new label begins
        without examples.
    threshold
        The constant c of the rule; 5 in the paper. Larger values store more.
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
    Section 8 of the paper [^1]; see `HRLS`. An x that is empty or zero counts as a round.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = linear_model.SHRLS(taxonomy)
    >>> metric = metrics.HLoss(taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.5615

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    _shared = False

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        threshold: float = 5.0,
        l2: float = 1.0,
        budget: int | None = None,
        forgetting: float = 1.0,
        intercept: float = 0.0,
    ) -> None:
        check_positive("threshold", threshold)
        self.threshold = threshold
        super().__init__(taxonomy, l2, budget, forgetting, intercept)

    @property
    def n_stored(self) -> dict[object, float]:
        """The $N_i$ of each node, discounted with `forgetting`, including dropped instances."""
        labels = self._taxonomy.nodes[1:]
        return dict(zip(labels, self._rls.n_stored, strict=True))
