from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Below:
    """A label that is known down to a node: the true one is this node or any node below it.

    `learn_one(x, Below("shoes"))` learns that x is some kind of shoe. What is decided at or above
    the node is learned, and what is decided below it is not. `Below` of a leaf is the leaf, and
    `Below` of the root changes nothing. In the metrics of labels, the nodes below it count neither
    as right nor as wrong; those of scores and probabilities refuse it.

    Parameters
    ----------
    label
        The label. For models of several labels a multilabel: each of its labels is on, and of their
        children those are unknown that it does not name.

    Examples
    --------

    >>> from river_hier import Below, Taxonomy, linear_model

    >>> t = Taxonomy([("goods", "shoes"), ("goods", "books"), ("shoes", "boots")])
    >>> model = linear_model.PathSoftmax(t)
    >>> model.learn_one({"leather": 1.0}, "boots")
    >>> model.learn_one({"suede": 1.0}, Below("shoes"))
    >>> sum(model.predict_proba_one({"suede": 1.0})[v] for v in ("shoes", "boots"))
    0.9

    """

    label: Any
