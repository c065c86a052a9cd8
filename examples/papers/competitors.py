"""Hieron's competitors in the papers: a flat learner, and one that routes greedily."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from river_hier import Taxonomy


def flat(labels: Any) -> Taxonomy:
    """A taxonomy with all labels at the same distance from each other."""
    return Taxonomy.flat(labels, root="none of these")


class Greedy:
    """A flat learner at each inner node, which chooses the child with the highest score.

    Those of narrow kernels are so small that `local.PerParent`, which compares probabilities, takes
    them for equal.
    """

    def __init__(self, taxonomy: Taxonomy, models: Mapping[Any, Any]) -> None:
        self.taxonomy, self.models = taxonomy, models

    def learn_one(self, x: Any, y: Any) -> None:
        for parent, child in pairwise(self.taxonomy.path(y)):
            self.models[parent].learn_one(x, child)

    def predict_one(self, x: Any) -> Any:
        node = self.taxonomy.root
        while children := self.taxonomy.children(node):
            scores = self.models[node].score_one(x)
            node = max(children, key=scores.__getitem__)
        return node

    @property
    def last(self) -> Greedy:
        """With the last hypotheses of averaged models."""
        return Greedy(self.taxonomy, {node: model.last for node, model in self.models.items()})


def greedy(taxonomy: Taxonomy, learner: Callable[[Taxonomy], Any]) -> Greedy:
    inner = [node for node in taxonomy if taxonomy.children(node)]
    return Greedy(taxonomy, {node: learner(flat(taxonomy.children(node))) for node in inner})
