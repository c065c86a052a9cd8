from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._backend import Batch, Multilabels, RemappedSystem, shrls_step, shrls_steps
from ..base import check_integer, check_positive
from ..taxonomy import NodeMapping, TaxonomyLike
from .least_squares import LeastSquaresModel

__all__ = ["SHRLS"]


class SHRLS(LeastSquaresModel):
    """SH-RLS: H-RLS that stores an instance only where it is in doubt.

    Node i learns from an example of round t whose parents are truly on only if its score is
    small,

    $$|w_{i,t} \\cdot x_t| \\le \\sqrt{c \\ln t / N_i},$$

    $N_i$ being the number of instances it has stored so far (the first is always stored) and c
    the `threshold`. Otherwise it works as `HRLS` does. The nodes store different instances, so
    each has a system of equations of its own, in dual or in primal variables, whichever is the
    smaller. Dual systems are solved by Cholesky factors as long as these fit into `memory`, and
    by conjugate gradients beyond: slower, but in memory that grows only with the instances.

    A step takes $O(\\min(N_i, d)^2)$ for each node whose parents are truly on and which stores x
    or comes close to it, and as much memory; an instance is stored once, whatever the number of
    nodes that use it, and its dot products with x, O(stored nonzeros), are shared. The score
    that the rule asks for is $w_i \\cdot x / (1 + r)$ with $0 \\le r \\le \\|x\\|^2 / \\lambda$, so
    where $|w_i \\cdot x|$ alone decides, no system is solved. Predicting takes O(features of x) a
    node visited in primal variables; in dual ones the same dot products, until so many predictions
    come in a row that an explicit w pays off. Scores and probabilities take
    $O(\\min(N_i, d)^2)$ for every node.

    A stream without end needs a `budget`. Once a node holds more instances it forgets the oldest,
    down to half of the budget. Its w stays as it is, and is from then on regularised towards what
    the forgotten ones contributed to it, $w_0 = \\sum_j \\alpha_j x_j$, instead of towards 0: the
    system is exactly $\\min_w \\lambda \\|w - w_0\\|^2 + \\sum (v - w \\cdot x)^2$ over those that
    are kept. $N_i$ goes on counting those that were forgotten.

    With `forgetting` $f < 1$ the past fades as in `HRLS`, by periods of h visits. A visit is an
    example that the node is trained on, stored or not: a node that is sure of itself, and wrong
    since the stream has changed, stores nothing, and must doubt again in time. $N_i$ fades along,
    to $\\lfloor f^h N_i \\rfloor$, so the rule goes on storing. What is held is bounded as in
    `HRLS`, so there is no `budget` besides.

    Its flat counterpart, S-RLS, is `SHRLS(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG; in a DAG a node is on only if all its parents are. `None` starts from an
        open flat taxonomy, to which labels are added under the root as they arrive.
        An `OpenTaxonomy` grows along labels that are paths.
    threshold
        The constant c of the rule; 5 in the paper. The larger, the more is stored.
    l2
        The weight $\\lambda$ of the regularisation; 1 in the paper.
    budget
        The most instances that a node holds in dual variables, at least 2; `None` for no limit.
    memory
        Bytes for the Cholesky factors of all nodes together; systems beyond it take conjugate
        gradients. Instances and primal inverses are not counted. The numpy backend has factors
        alone and no such limit.
    n_features
        A power of 2: hash the names of features into so many rows. Names that meet in a row are
        taken for one. `None` remembers every name.
    forgetting
        What is left of an instance's weight after one more visit, on average; 1 forgets nothing.

    Raises
    ------
    ValueError
        If `threshold` or `l2` is not positive, `budget` below 2, `memory` negative, `n_features`
        not a power of 2, `forgetting` not above 0 and at most 1, or below 1 besides a `budget`;
        from `learn_one` and `predict_one`, if a feature is not a finite number, a label is unknown,
        or a label is on whose ancestor is explicitly False.

    Notes
    -----
    Section 8 of the paper [^1]. The text writes the labels as {0, 1}; its own analysis needs
    {-1, +1}. The paper assumes unit norm, which is left to
    `preprocessing.Normalizer() | SHRLS(...)`.

    An x that is empty, zero, or has only features never learned from has score 0 everywhere, and
    a score of 0 counts as on: all nodes are on. Learning from an x that is empty or zero
    only counts as a round.

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

    >>> model.n_stored
    {'news': 810, 'sport': 570, 'politics': 603}

    References
    ----------
    [^1]: [Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. Journal of Machine Learning Research, 7, pp. 31-54.](
        https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)

    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        threshold: float = 5.0,
        l2: float = 1.0,
        budget: int | None = None,
        memory: float = 1e9,
        n_features: int | None = None,
        forgetting: float = 1.0,
    ) -> None:
        check_positive("threshold", threshold)
        if budget is not None:
            check_integer("budget", budget, 2)
            if forgetting != 1.0:
                raise ValueError(
                    f"`budget` is {budget} and `forgetting` {forgetting}, but either bounds what a "
                    "node holds; choose one"
                )
        self.threshold = threshold
        self.budget = budget
        super().__init__(taxonomy, l2, budget, memory, n_features, forgetting)
        self._t = 0

    @property
    def n_stored(self) -> dict[object, int]:
        """How many instances each node has stored, those that it has forgotten included.

        With `forgetting`, the $N_i$ that has faded.
        """
        labels = self._taxonomy.nodes[1:]
        return dict(zip(labels, self._rls.n_stored, strict=True))

    def _step(self, x: Mapping[Any, Any], y: Any) -> None:
        t = self._t + 1
        c = float(self.threshold)
        if not shrls_step(self._rls, c, t, self._features, self._labels, x, y):
            raise self._lost_in_rounding(x)
        self._t = t

    def _steps(self, X: Batch, y: Multilabels) -> None:
        c, t = float(self.threshold), self._t + 1
        shrls_steps(self._rls, c, t, self._features, self._labels, X, y)
        self._t += X.n

    def _trained_systems(self, trained: NDArray[np.intp]) -> Iterable[int]:
        systems: list[int] = (trained - 1).tolist()
        return systems

    def _remap(self, change: NodeMapping) -> None:
        change.check_unmerged(self)
        olds = change.sources[1:]
        plan = [
            RemappedSystem(old[0] - 1, [0], [v], []) if old else RemappedSystem(None, [], [v], [])
            for v, old in enumerate(olds, start=1)
        ]
        self._remap_systems(plan)

    def _add_nodes(self, before: int, after: int) -> None:
        for v in range(before, after):
            self._add_system([v])

    def _shard_units(self) -> list[list[int]]:
        return [[v] for v in range(1, len(self._taxonomy))]

    def _place(self, v: int) -> tuple[int, int]:
        return v - 1, 0
