"""The tree-induced error: the distance between prediction and truth, in edges."""

from __future__ import annotations

from typing import Any

from .._core import reader_of
from ..taxonomy import Taxonomy


def tree_induced_error(taxonomy: Taxonomy, y_true: Any, y_pred: Any) -> float:
    r"""Tree-induced error: the distance between two labels.

    The number of edges on the path from the true to the predicted label[^1] is also the number of
    nodes on exactly one of their paths from the root:

    $$\gamma(y, \hat{y}) = |P(y) \,\triangle\, P(\hat{y})|.$$

    With closures in place of paths, the right-hand side is also defined for multilabels and DAGs,
    which the paper does not consider; this is what is computed here[^2]. For single labels in a
    tree, `tree_induced_error(t, u, v) == t.distance(u, v)`.

    Takes O(nodes of both closures), plus the time to parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy.
    y_true
        The truth: a label, an iterable of labels or `{label: bool}`. A label that is True while an
        ancestor is explicitly False raises a `ValueError`, an unknown label an `UnknownLabelError`.
    y_pred
        The prediction, in the same forms. An ancestor that is explicitly False stays False. `None`,
        no answer, counts as the root: no label is on.

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
    labels = reader_of(taxonomy)
    return float(len(labels.closure(y_true) ^ labels.predicted(y_pred)))
