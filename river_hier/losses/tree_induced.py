"""The tree-induced error: how far the prediction is from the truth, in edges."""

from __future__ import annotations

from typing import Any

from ..taxonomy import Taxonomy
from ..taxonomy.multilabel import answered, closed


def tree_induced_error(taxonomy: Taxonomy, y_true: Any, y_pred: Any) -> float:
    r"""Tree-induced error: the distance between two labels.

    The number of edges on the way from the true to the predicted label[^1] is also the number of
    nodes on one of their paths, but not on both:

    $$\gamma(y, \hat{y}) = |P(y) \,\triangle\, P(\hat{y})|.$$

    Read with closures in place of paths, the right-hand side is defined for multilabels and for
    DAGs as well, which the paper does not treat; it is what is computed here[^2]. In a tree
    `tree_induced_error(t, u, v) == t.distance(u, v)` for single labels.

    Takes O(nodes of both closures), plus reading the answers.

    Parameters
    ----------
    taxonomy
        The taxonomy.
    y_true
        The truth: a label, an iterable of labels or `{label: bool}`. A label on whose ancestor is
        explicitly False raises a `ValueError`, an unknown one an `UnknownLabelError`.
    y_pred
        The prediction, in the same forms. An ancestor that is explicitly False stays off.

    Examples
    --------

    >>> from river_hier import Taxonomy, losses

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})

    >>> losses.tree_induced_error(t, "wolf", "owl")
    4.0
    >>> losses.tree_induced_error(t, "wolf", "mammal")
    1.0
    >>> losses.tree_induced_error(t, {"wolf", "owl"}, {"whale", "owl"})
    2.0

    References
    ----------
    [^1]: Dekel, O., Keshet, J. and Singer, Y., 2004. Large margin hierarchical classification.
        ICML. Section 2.
    [^2]: Cai, L. and Hofmann, T., 2007. Exploiting known taxonomies in learning overlapping
        concepts. IJCAI. Section 2.

    """
    return float(len(closed(taxonomy, y_true) ^ answered(taxonomy, y_pred)))
