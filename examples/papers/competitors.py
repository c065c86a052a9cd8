"""Hieron's competitors in the papers: a flat learner, and one that routes greedily."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from river_hier import Taxonomy, linear_model


def flat(labels: Any) -> Taxonomy:
    """A taxonomy with all labels at the same distance from each other."""
    return Taxonomy.flat(labels, root="none of these")


class Greedy:
    """A flat classifier at each inner node, which chooses one of the children."""

    def __init__(
        self, taxonomy: Taxonomy, router: Callable[[Taxonomy], Any] = linear_model.AveragedHieron
    ) -> None:
        self.taxonomy = taxonomy
        self.router = router
        self.routers = {label: router(flat(taxonomy.children(label))) for label in taxonomy.inner}

    def learn_one(self, x: Any, y: Any) -> None:
        path = self.taxonomy.path(y)
        for label, child in pairwise(path):
            self.routers[label].learn_one(x, child)

    def predict_one(self, x: Any) -> Any:
        label = self.taxonomy.root
        while label in self.routers:
            scores = self.routers[label].score_one(x)
            label = max(self.taxonomy.children(label), key=scores.__getitem__)
        return label

    @property
    def last(self) -> Greedy:
        last = Greedy(self.taxonomy, self.router)
        last.routers = {label: router.last for label, router in self.routers.items()}
        return last
