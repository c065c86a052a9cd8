"""Hieron's competitors in the papers: a flat learner, and one that routes greedily."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from river_hier import Taxonomy, local


def flat(labels: Any) -> Taxonomy:
    """A taxonomy with all labels at the same distance from each other."""
    return Taxonomy.flat(labels, root="none of these")


def greedy(taxonomy: Taxonomy, learner: Callable[[Taxonomy], Any]) -> local.PerParent:
    """A flat learner at each inner node, which chooses one of the children."""
    return local.PerParent(
        lambda node: learner(flat(taxonomy.children(node))), taxonomy, leaves_only=True
    )


def last(model: Any) -> Any:
    """The last hypothesis of an averaged model, or of all those of a greedy one."""
    if not isinstance(model, local.PerParent):
        return model.last
    twin = copy.deepcopy(model)
    for parent, router in twin._local.items():
        twin._local[parent] = router._replace(model=router.model.last)
    return twin
