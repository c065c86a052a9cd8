import numpy as np
from numpy.typing import NDArray

from ..base import TopDownLearner
from ..base.explanation import Floats


class HPerceptron(TopDownLearner, compiled=()):
    """H-PERC: a perceptron at every node, trained and evaluated from the top down.

    A node learns only from examples whose parents are truly on, and only from its mistakes:
    where $\\{w_i \\cdot x \\ge 0\\} \\ne v_i$, $w_i$ moves by $v_i x$, with $v_i = \\pm 1$.

    A step takes O(features of x * nodes) to score and O(features of x * mistakes) to learn; the
    weights take O(features * nodes) memory. The flat counterpart, PERC, is
    `HPerceptron(taxonomy.flatten())`.

    Parameters
    ----------
    taxonomy
        A tree or a DAG, in which a node is on only if all its parents are; or `None` or an
        `OpenTaxonomy`, to which labels are added as they arrive.
    dtype
        The type of the stored weights, `"float64"` or `"float32"`.
    intercept
        The value of a constant feature that is added to every x; 0 adds none, as in the paper.
        Choose a value similar to those of other features, e.g. 1 for standardised ones.

    Notes
    -----
    Section 8 of the paper [^1], with labels of {-1, +1}, not {0, 1}. `predict_proba_one` passes the
    scores through a logistic function: the probabilities are coherent, but not calibrated. A score
    of 0 counts as on, so without an intercept all nodes are on if x is empty, zero, or has only new
    features; but not before the first example, when no label is predicted. Learning from an x that
    is empty or zero changes nothing. A label that is on while one of its ancestors is explicitly
    False raises a `ValueError`.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import Taxonomy, linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> taxonomy = Taxonomy([("all", "news"), ("news", "sport"), ("news", "politics")])
    >>> stream = synth.LinearLabels(taxonomy, n_features=5, seed=42)
    >>> model = linear_model.HPerceptron(taxonomy)
    >>> metric = metrics.HLoss(taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    HLoss: 0.618

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    def learns(self, score: Floats, y: Floats) -> NDArray[np.bool_]:
        """The nodes whose score has the wrong sign."""
        return (score >= 0.0) != (y > 0.0)

    def rule(self, score: Floats, y: Floats, norm2: float) -> Floats:
        """$w \\leftarrow w + y x$, section 8."""
        return y
