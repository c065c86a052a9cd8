from __future__ import annotations

import math

from ..base import Floats
from ..taxonomy import TaxonomyLike
from .functions import Function, Kernel
from .path import KernelPathLearner

__all__ = ["Hieron"]


class Hieron(KernelPathLearner):
    """Online Hieron in its dual form: large margin classification in a tree, with a kernel.

    It is `linear_model.Hieron` in the space of the kernel K, where the weight vector of a node u is
    a sum over the examples that it has learned from, and the score of a label v is

    $$\\sum_{u \\in P(v)} \\sum_i c_i^u K(x_i, x).$$

    After a mistake, and only then, x is stored, with the coefficients $\\pm \\alpha$ at the nodes
    where the paths of the true label y and the predicted one $\\hat y$ differ; $\\alpha = \\ell /
    (\\gamma(y, \\hat y) K(x, x))$ is just enough for y to win by the margin
    $\\sqrt{\\gamma(y, \\hat y)}$.

    A step takes one row of the kernel, O(stored examples * features), in one product of a matrix;
    and O(stored examples * distance) to weigh it. Examples are stored in a dense array or, where
    most of it would be empty, in a sparse matrix.

    A stream without end needs a `budget`. Once the model holds more examples it keeps at most four
    fifths of the budget: one after the other, it chooses the example of which the most would be
    lost, i.e. whose squared distance in the space of the kernel from all sums over those chosen
    before, times its squared coefficients, is the largest. The others are projected onto them, i.e.
    replaced in every weight vector by the nearest sums. That takes $O(budget^2)$ a mistake on
    average, and $O(budget^2 + budget \\cdot nodes)$ memory. Features that only forgotten examples
    had are forgotten, too.

    Parameters
    ----------
    taxonomy
        A tree. `None` starts from an open flat taxonomy, to which labels are added under the root
        as they arrive.
        An `OpenTaxonomy` grows along labels that are paths.
    kernel
        `kernel.Linear()`, `kernel.RBF(sigma)`, `kernel.Polynomial(degree, coef0)`, or any function
        of two feature dicts that answers with a number; symmetric, and positive semi-definite,
        which nobody checks: without it weights may grow for ever. With a function of one's own
        features may be of any kind; a step calls it for each stored example, and one that forgets
        for each pair of them. For a model that is to be pickled it must not be a lambda. `None` is
        the linear kernel.
    C
        The largest step $\\alpha$, against noise; see `linear_model.Hieron`. Without a cap,
        `math.inf`, it is the paper's.
    budget
        The most examples that the model holds, at least 2; `None` for no limit.

    Raises
    ------
    TypeError
        If `kernel` is no function, or `budget` not an integer; from `learn_one` and `predict_one`,
        if a function of one's own does not answer with a number.
    ValueError
        If the taxonomy is a DAG, `C` not positive or `budget` below 2; from `learn_one` and
        `predict_one`, if a feature or a value of the kernel is not a finite number, or a label is
        unknown.

    Notes
    -----
    Eq. (11) to (13) of the paper [^1]. There the numerator of $\\alpha$ has $\\gamma(y, \\hat y)$;
    its root is meant, as in Eq. (5) and (8). The paper has neither cap nor budget. Ties go to
    the first node in taxonomy order, so the very first prediction is the root. An x with
    $K(x, x) = 0$ changes nothing.

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
    >>> hieron = kernel.Hieron(taxonomy, kernel.RBF(sigma=1.0))
    >>> model = preprocessing.StandardScaler() | hieron
    >>> metric = metrics.TreeInducedError(taxonomy)

    >>> evaluate.progressive_val_score(datasets.ImageSegments(), model, metric)
    TreeInducedError: 0.3385

    >>> hieron.n_stored
    255

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification. In
        Proceedings of the 21st International Conference on Machine Learning, p. 27.](
        https://doi.org/10.1145/1015330.1015374)

    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        kernel: Kernel | Function | None = None,
        C: float = math.inf,
        budget: int | None = None,
    ) -> None:
        super().__init__(taxonomy, kernel, C, budget)

    def rival(self, score: Floats, y: int) -> int:
        """The predicted label."""
        return int(score.argmax())

    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        """The smallest step that makes up for the loss, and at most C; norm2 is K(x, x)."""
        loss = math.sqrt(gamma) - margin
        return min(float(self.C), loss / (gamma * norm2))  # Eq. (12)
