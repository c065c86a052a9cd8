from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from river import base

from ..base.checks import check_integer
from ..base.classifiers import last_step, probabilities, shown
from ..taxonomy import Label, Taxonomy

__all__ = ["top_one"]


def top_one(model: Any, x: Mapping[Any, Any], k: int = 5) -> list[tuple[tuple[Label, ...], float]]:
    """The k most probable labels of x, each with its path.

    For a single-label model, each probability is that of the label itself; ties go to the first in
    taxonomy order. For a multilabel model, it is the probability that the node is on, which is
    never above that of its ancestors; among equal ones, deeper nodes come first, as they are more
    specific.

    On top of `predict_proba_one` it takes O(nodes log nodes) time.

    Parameters
    ----------
    model
        A model in a taxonomy with `predict_proba_one`, or a pipeline that ends in one.
    x
        A dictionary of features, as the model takes it.
    k
        The number of labels; fewer are returned if there are not as many.

    Returns
    -------
    `[(path, probability), ...]`, the most probable first; a path goes from the root to the label.
    In a DAG it goes through the first parent of each node in taxonomy order.

    Raises
    ------
    TypeError
        If the model has no taxonomy, or `k` is not an integer.
    ValueError
        If `k` is below 1.

    Examples
    --------

    >>> from river import preprocessing
    >>> from river_hier import Taxonomy, inspection, linear_model

    >>> t = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
    >>> model = preprocessing.Normalizer() | linear_model.SHRLS(t)
    >>> for _ in range(10):
    ...     model.learn_one({"fur": 1.0, "howls": 1.0}, {"wolf"})
    ...     model.learn_one({"wings": 1.0, "hoots": 1.0}, {"owl"})

    >>> for path, p in inspection.top_one(model, {"fur": 1.0}, k=2):
    ...     print(path, round(p, 3))
    ('animal', 'mammal') 0.708
    ('animal', 'mammal', 'wolf') 0.501

    """
    check_integer("k", k, at_least=1)
    last = last_step(model)
    taxonomy = getattr(last, "_taxonomy", getattr(last, "taxonomy", None))
    if isinstance(model, type) or not isinstance(taxonomy, Taxonomy):
        raise TypeError(
            "`model` must be a model in a taxonomy, or a pipeline that ends in one, "
            f"got {shown(model)}"
        )
    if isinstance(last, base.MultiLabelClassifier):
        proba = model.predict_proba_one(x)
        nodes = {taxonomy.index(label): p[True] for label, p in proba.items()}
        depth = taxonomy.arrays.depth
        order = sorted(nodes, key=lambda v: (-nodes[v], -depth[v], v))
    else:
        nodes = {taxonomy.index(label): p for label, p in probabilities(model, x).items()}
        order = sorted(nodes, key=lambda v: (-nodes[v], v))
    return [(_path(taxonomy, v), float(nodes[v])) for v in order[:k]]


def _path(taxonomy: Taxonomy, v: int) -> tuple[Label, ...]:
    path = [v]
    while path[-1]:
        path.append(taxonomy.parent_indices[path[-1]][0])
    return tuple(taxonomy.nodes[u] for u in reversed(path))
