"""The zero-one loss: whether any node is wrong."""

from __future__ import annotations

from typing import Any

from .._core import reader_of
from ..taxonomy import Taxonomy


def zero_one_loss(taxonomy: Taxonomy, y_true: Any, y_pred: Any) -> float:
    r"""Zero-one loss: 1 if any node is wrong, otherwise 0.

    $$\ell_{0/1}(\hat{y}, v) = \{\exists i : \hat{y}_i \neq v_i\}$$

    as in section 3 of the paper[^1]. Takes O(nodes that are on), plus the time to
    parse the labels.

    Parameters
    ----------
    taxonomy
        The taxonomy, a tree or a DAG.
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

    >>> losses.zero_one_loss(t, "wolf", {"mammal", "wolf"})
    0.0
    >>> losses.zero_one_loss(t, "wolf", "mammal")
    1.0

    References
    ----------
    [^1]: Cesa-Bianchi, N., Gentile, C. and Zaniboni, L., 2006. Incremental algorithms for
        hierarchical classification. JMLR 7, 31-54.

    """
    labels = reader_of(taxonomy)
    return float(labels.closure(y_true) != labels.predicted(y_pred))
