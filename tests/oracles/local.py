"""Local classifiers."""

import itertools
import math

from .hieron import argmax
from .least_squares import top_down, trained_nodes
from .trees import children, closure, depth, labels_below_root, path, root

# `make(place)` gives a fresh classifier with `learn_one` and `predict_proba_one`; it is taught from
# the beginning whenever it is asked.


class _Local:
    def __init__(self, parents, make):
        self.parents = parents
        self.make = make
        self.taught = {}

    def teach(self, place, x, y):
        """One more example of the classifier at a place."""
        self.taught.setdefault(place, []).append((x, y))

    def said(self, place, x, classes):
        """The probabilities of some classes among themselves; {} if nothing is known of them."""
        if place not in self.taught:
            return {}
        classifier = self.make(place)
        for example in self.taught[place]:
            classifier.learn_one(*example)
        said = classifier.predict_proba_one(x)
        total = sum(said.get(c, 0.0) for c in classes)
        return {c: said.get(c, 0.0) / total for c in classes} if total > 0 else {}


class PerNode(_Local):
    """[R] section 4 with any classifier: node i learns {v_i = 1} where its parents are on."""

    def learn(self, x, y):
        true = closure(self.parents, y)
        for i in trained_nodes(self.parents, true):
            self.teach(i, x, i in true)

    def given(self, i, x):
        """P(V_i = 1 | parents on), 1/2 if nothing is known."""
        return self.said(i, x, (False, True)).get(True, 0.5)

    def probability(self, i, x):
        """P(V_i = 1); in a DAG the least likely parent counts."""
        above = min((self.probability(j, x) for j in self.parents[i]), default=1.0)
        return above * (self.given(i, x) if self.parents[i] else 1.0)

    def predict(self, x, threshold=0.5):
        """Top-down: on iff all parents are predicted on and P(V_i = 1 | them) >= threshold."""
        margin = {i: self.given(i, x) - threshold for i in labels_below_root(self.parents)}
        return top_down(self.parents, margin, self.taught)


class PerParent(_Local):
    """The greedy of [H] section 5 with any classifier; a node's own label says "ends here"."""

    def place(self, v):
        """Where the classifier stands that decides at v."""
        return v

    def learn(self, x, y):
        on = path(self.parents, y)
        for v in on:
            if children(self.parents, v):
                next_ = on[on.index(v) + 1] if v != y else y
                self.teach(self.place(v), x, next_)

    def next(self, v, x):
        """P(next node | at v); the way ends where nothing is known."""
        if not children(self.parents, v):
            return {v: 1.0}
        return self.said(self.place(v), x, [v, *children(self.parents, v)]) or {v: 1.0}

    def marginal(self, u, x):
        """P(the label is u or below), the product along the path."""
        on = path(self.parents, u)
        return math.prod(self.next(v, x).get(c, 0.0) for v, c in itertools.pairwise(on))

    def probability(self, u, x):
        """P(the label is u)."""
        return self.marginal(u, x) * self.next(u, x).get(u, 0.0)

    def predict(self, x, threshold=0.0):
        """From the root to the likeliest next node, while a child is likely enough."""
        v = root(self.parents)
        while True:
            likely = self.next(v, x)
            child = argmax(likely)
            if child == v or likely[child] < threshold:
                return v
            v = child


class PerLevel(PerParent):
    """One classifier a level, its probabilities conditioned on what the level above has found."""

    def place(self, v):
        return depth(self.parents, v) + 1
