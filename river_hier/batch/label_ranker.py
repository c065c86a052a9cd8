"""The base class of the batch label rankers, and `BatchHMinOver`."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ..base.checks import check_integer, check_positive
from ..kernel.functions import Function, Kernel
from ..kernel.instances import check_kernel
from ..linear_model.rankings import Attributes, label_attributes
from ..linear_model.threshold import Threshold
from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import Candidates
from .estimator import BatchEstimator, progress
from .expansions import Examples, Expansion, Floats, KernelExpansion, LinearExpansion, Mask, Scorers


class LabelRanker(BatchEstimator):
    """Ranks the candidates by F(x, y) = sum_{v in anc(y)} t_v <w_v, x>, and learns a threshold."""

    def __init__(
        self,
        taxonomy: Taxonomy,
        t: Attributes,
        candidates: Candidates | None,
        kernel: Kernel | Function | None,
    ) -> None:
        super().__init__(taxonomy)
        check_kernel(kernel)
        self.t = t
        self.candidates = candidates
        self.kernel = kernel
        self._ranking = label_attributes(taxonomy, t, candidates)

    def threshold_one(self, x: Mapping[Any, Any]) -> float:
        """The lowest score at which candidates are switched on."""
        return self._threshold(self._scores(x))

    def _on(self, scores: Floats) -> Mask:
        return self._ranking.answer(scores, self._threshold(scores))

    def _scores(self, x: Mapping[Any, Any]) -> Floats:
        """F(x, y) of all nodes, candidates or not."""
        self._check_fitted()
        scorers, _ = self._trained
        return self._ranking.scores(scorers.scores(x))

    def _threshold(self, scores: Floats) -> float:
        _, threshold = self._trained
        return float(threshold.at(scores[self._ranking.candidates]))

    def _read(self, examples: Examples) -> tuple[Expansion, Mask]:
        """The instances, with all weights at 0, and the relevant candidates of each."""
        expansion: Expansion
        if self.kernel is None:
            expansion = LinearExpansion(examples, self.taxonomy)
        else:
            expansion = KernelExpansion(examples, self.taxonomy, self.kernel)
        return expansion, expansion.on[:, self._ranking.candidates]

    def _train_threshold(self, expansion: Expansion, relevant: Mask) -> tuple[Scorers, Threshold]:
        """The trained weights, with a threshold that is learned from the training examples."""
        threshold = Threshold()
        scores = self._ranking.scores(expansion.all_scores().T)[self._ranking.candidates].T
        for one, truth in zip(scores, relevant, strict=True):
            threshold.learn(one, truth)
        return expansion.scorers(), threshold


class BatchHMinOver(LabelRanker):
    """Hierarchical minover perceptron, trained on a list of examples.

    As `linear_model.HMinOver`, but each step increases the smallest margin of *all* examples,
    until all margins are at least `margin`. On separable examples this is reached: if all margins
    of some weights u are at least 1, the $\\Delta$ of all steps sum to at most
    $\\|u\\|^2 (2 c + \\max \\Delta \\|\\delta\\Phi\\|^2)$, as for any perceptron.

    A step takes O(stored features + examples * candidates); with a kernel, it takes O(examples *
    nodes), and training O(examples^2) memory. Its flat counterpart is
    `BatchHMinOver(taxonomy.flatten(), candidates=taxonomy.leaves)`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
    margin
        The margin c to reach.
    t
        The attribute $t_v$ of every node, at least 0, or `{label: t_v}`, with 1 for the others.
    candidates
        The labels that are ranked; `None` for the leaves.
    kernel
        A kernel, such as `kernel.RBF(sigma)`, or a function of two feature dicts. `None` is the
        linear kernel with feature weights, better if there are more examples than features.
    max_steps
        The largest number of steps.

    Notes
    -----
    Algorithm 2 and Section 4 of the paper [^1], whose threshold is learned
    from the training examples at the end. After `fit`, `n_steps` is the number of steps taken, and
    `smallest_margin` the smallest margin of all examples. Before `fit`, other methods raise a
    `RuntimeError`.

    Examples
    --------

    >>> from river_hier import batch, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=2, noise=0.02, seed=42)
    >>> examples = [(x, [y]) for x, y in stream.take(600)]
    >>> labels = stream.taxonomy.nodes[1:]
    >>> model = batch.BatchHMinOver(stream.taxonomy, candidates=labels).fit(examples[:300])

    >>> metric = metrics.AveragePrecision(stream.taxonomy, candidates=labels)
    >>> for x, y in examples[300:]:
    ...     metric.update(y, model.score_one(x))
    >>> metric
    AveragePrecision: 100.00%

    References
    ----------
    [^1]: Cai and Hofmann, IJCAI 2007. Exploiting known taxonomies in learning overlapping concepts.

    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        margin: float = 1.0,
        t: Attributes = 1.0,
        candidates: Candidates | None = None,
        kernel: Kernel | Function | None = None,
        max_steps: int = 10_000,
    ) -> None:
        super().__init__(taxonomy, t, candidates, kernel)
        check_positive("margin", margin)
        check_integer("max_steps", max_steps, 1)
        self.margin = margin
        self.max_steps = max_steps
        self.n_steps: int = 0
        self.smallest_margin: float = -np.inf

    def fit(self, examples: Examples) -> Self:
        expansion, relevant = self._read(examples)
        ranking, scores = self._ranking, np.zeros(relevant.shape)  # F(x_i, y)
        for n_steps in progress(range(self.max_steps + 1), "minover"):
            low, high = np.where(relevant, scores, np.inf), np.where(relevant, -np.inf, scores)
            margins = low.min(axis=1) - high.max(axis=1)  # inf where there is no pair
            i = int(margins.argmin())  # the example whose margin is to increase
            if margins[i] >= self.margin or n_steps == self.max_steps:
                break
            pair = ranking.candidates[[low[i].argmin(), high[i].argmax()]].tolist()
            nodes, steps = ranking.difference(*pair)
            steps *= len(nodes)  # Delta = |anc(y) ^ anc(ybar)|
            expansion.add(i, nodes, steps)
            moved = np.zeros(len(ranking.t))
            moved[nodes] = steps
            scores += expansion.column(i)[:, None] * ranking.scores(moved)[ranking.candidates]
        self._trained = self._train_threshold(expansion, relevant)
        self.n_steps, self.smallest_margin = n_steps, float(margins[i])
        return self
