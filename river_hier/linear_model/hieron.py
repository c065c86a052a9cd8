import math
from typing import Any

from ..base import PathLearner
from ..base.checks import check_cap
from ..taxonomy import TaxonomyLike


def smallest_step(model: Any, margin: float, gamma: float, norm2: float) -> float:
    """The smallest step that removes the loss, at most C."""
    loss = math.sqrt(gamma) - margin  # Eq. (5)
    return min(float(model.C), loss / (gamma * norm2))  # Eq. (8); Eq. (7) is the move itself


class Hieron(PathLearner, compiled=("C",)):
    """Online Hieron: large margin classification in a tree.

    Each node v has a weight vector $w^v$, and its *prototype* $W^v$ is the sum of the weight
    vectors on its path; that of the root is zero. The label with the largest score $W^v \\cdot x$
    is predicted, which may be an inner node or the root. Weights change only
    after a mistake: at the nodes on the path of the true label y or of the predicted one $\\hat y$,
    but not of both, they move along x, just enough for y to beat $\\hat y$ by the margin
    $\\sqrt{\\gamma(y, \\hat y)}$, $\\gamma$ being the distance in the tree: a coarse mistake
    requires a wider margin than a near miss.

    A step takes O(features of x * nodes) to score and O(features of x * distance) to learn. Without
    an intercept, an empty or zero x changes nothing, and the prediction for it is the root.

    The flat counterpart is `Hieron(taxonomy.flatten())`, with the root at the centre of the star;
    if the root is a label like the others, `Hieron(Taxonomy.flat(taxonomy.nodes, root="none of
    these"))`.

    Parameters
    ----------
    taxonomy
        A tree, or `None` or an `OpenTaxonomy`, to which labels are added as they arrive.
    C
        The largest step $\\alpha$. The default suits x of norm 1 or more; with `math.inf` the step
        is the paper's.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    intercept
        The value of a constant feature that is added to every x. The default, 0, adds none, as in
        the paper. Choose it well below the norm of x: 0.1 to 0.3 for norm 1.

    Notes
    -----
    With `C=math.inf` this is exactly Algorithm 1 of the paper [^1], where one wrong label can undo
    what was learned from many correct ones, above all if x is short: weights move by $\\ell /
    (\\sqrt{\\gamma} \\|x\\|)$. The cap $\\alpha \\le C$ is that of PA-I [^2]; with it they move by
    at most $C \\|x\\| \\sqrt{\\gamma}$. Where it takes effect, the bound of the paper does not
    hold. The default costs little down to norm 0.3; for shorter x choose a larger one. Where labels
    are noisy, about $0.5 / \\|x\\|^2$ works well. Ties, which the paper does not specify, go to the
    first node in taxonomy order, so the very first prediction is the root.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=42)
    >>> model = linear_model.Hieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 0.444

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification.
        ICML 21.](https://doi.org/10.1145/1015330.1015374)
    [^2]: [Crammer, K., Dekel, O., Keshet, J., Shalev-Shwartz, S. and Singer, Y., 2006. Online
        passive-aggressive algorithms. JMLR 7.](https://www.jmlr.org/papers/v7/crammer06a.html)
    """

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        C: float = 10.0,
        dtype: str = "float64",
        intercept: float = 0.0,
    ) -> None:
        super().__init__(taxonomy, dtype, intercept)
        check_cap("C", C)
        self.C = C

    rule = smallest_step
