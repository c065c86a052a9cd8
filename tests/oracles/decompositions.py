"""Hierarchical decompositions."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from .trees import Features

# [E] is El-Yaniv & Etzion-Rosenberg 2002. A tree is `(class,)` or a pair `(left, right)`; priors
# are `{class: probability}`, conditionals `{class: {token: probability}}`; entropies are in bits.

Distribution = Mapping[Hashable, float]
Nested = tuple  # (class,) or (left, right)


def entropy(p: Distribution) -> float:
    """- sum_x p(x) log2 p(x)."""
    return -sum(value * math.log2(value) for value in p.values() if value > 0.0)


def mixture(weights: Iterable[float], ps: Iterable[Distribution]) -> dict[Hashable, float]:
    """sum_i pi_i p_i: the mutual source of the p_i."""
    mixed: dict[Hashable, float] = {}
    for weight, p in zip(weights, ps, strict=True):
        for x, value in p.items():
            mixed[x] = mixed.get(x, 0.0) + weight * value
    return mixed


def jensen_shannon(weights: list[float], ps: list[Distribution]) -> float:
    """H(sum_i pi_i p_i) - sum_i pi_i H(p_i) ([E] Eq. 1)."""
    parts = zip(weights, ps, strict=True)
    return entropy(mixture(weights, ps)) - sum(w * entropy(p) for w, p in parts)


def lin_bounds(weights: list[float], ps: list[Distribution]) -> tuple[float, float]:
    """J^2 / (4 (k - 1)) <= Bayes error <= J / 2, J = H(pi) - JS ([E] Theorems 1 and 2)."""
    J = entropy(dict(enumerate(weights))) - jensen_shannon(weights, ps)
    return J**2 / (4 * (len(ps) - 1)), J / 2


def bayes_error(weights: list[float], ps: list[Distribution]) -> float:
    """1 - sum_x max_c pi_c p_c(x)."""
    tokens = {x for p in ps for x in p}
    parts = list(zip(weights, ps, strict=True))
    return 1.0 - sum(max(w * p.get(x, 0.0) for w, p in parts) for x in tokens)


def classes_of(tree: Nested) -> list[Hashable]:
    """The leaves of a tree, from left to right."""
    return [*tree] if len(tree) == 1 else classes_of(tree[0]) + classes_of(tree[1])


def side(
    tree: Nested, priors: Mapping[Hashable, float], conditionals: Mapping[Hashable, Distribution]
) -> tuple[float, dict[Hashable, float]]:
    """The sum of the priors below a node, and the mixture of its classes' conditionals."""
    classes = classes_of(tree)
    q = sum(priors[c] for c in classes)
    return q, mixture([priors[c] / q for c in classes], [conditionals[c] for c in classes])


def split(
    tree: Nested, priors: Mapping[Hashable, float], conditionals: Mapping[Hashable, Distribution]
) -> tuple[list[float], list[Distribution]]:
    """The two-class problem at an inner node, before Proposition 3 of [E]."""
    (q_left, left), (q_right, right) = (side(child, priors, conditionals) for child in tree)
    return [q_left / (q_left + q_right), q_right / (q_left + q_right)], [left, right]


def recursion(
    tree: Nested,
    priors: Mapping[Hashable, float],
    conditionals: Mapping[Hashable, Distribution],
    bound: int,
) -> float:
    """R(v) = (1 - e_v) (q_L R(L) + q_R R(R)), with Lin's lower (0) or upper (1) bound for e_v
    ([E] Propositions 3 and 4); R(leaf) = 1."""
    if len(tree) == 1:
        return 1.0
    q, ps = split(tree, priors, conditionals)
    below = [recursion(child, priors, conditionals, bound) for child in tree]
    return (1.0 - lin_bounds(q, ps)[bound]) * (q[0] * below[0] + q[1] * below[1])


def tree_error(
    tree: Nested, priors: Mapping[Hashable, float], conditionals: Mapping[Hashable, Distribution]
) -> float:
    """How often hard decoding errs, each inner node deciding by the larger posterior."""

    def answer(v: Nested, x: Hashable) -> Hashable:
        if len(v) == 1:
            return v[0]
        q, ps = split(v, priors, conditionals)
        left, right = (w * p.get(x, 0.0) for w, p in zip(q, ps, strict=True))
        return answer(v[0] if left >= right else v[1], x)

    tokens = {x for p in conditionals.values() for x in p}
    answers = {x: answer(tree, x) for x in tokens}
    right = sum(priors[answers[x]] * conditionals[answers[x]].get(x, 0.0) for x in tokens)
    return 1.0 - right


def agglomerate(
    priors: Mapping[Hashable, float],
    conditionals: Mapping[Hashable, Distribution],
    below: Callable[[int], int],
    uniform: Callable[[], float],
) -> Nested:
    """Merge two trees at a time ([E], after Proposition 4), a pair with probability proportional
    to 2^-JS: any pair is proposed with the same probability and accepted with probability 2^-JS.
    `below(n)` draws from 0..n-1; of a pair, the first draw is of all n trees, the second of the
    n - 1 others. The merged tree stands where the first of the two stood."""
    forest: list[Nested] = [(c,) for c in priors]
    while len(forest) > 1:
        i = below(len(forest))
        j = [other for other in range(len(forest)) if other != i][below(len(forest) - 1)]
        pair = (forest[min(i, j)], forest[max(i, j)])
        if uniform() < 2.0 ** -jensen_shannon(*split(pair, priors, conditionals)):
            forest[min(i, j)] = pair
            del forest[max(i, j)]
    return forest[0]


class Decomposition:
    """A binary classifier at each inner node of a tree, told apart by the classes on its sides."""

    def __init__(self, make: Callable[[], Any], tree: Nested | None = None) -> None:
        self.make = make
        self.tree = tree
        self.classifiers: dict[Hashable, Any] = {}

    def classifier(self, v: Nested) -> Any:
        """That of the inner node v; where there is none, a fresh one."""
        key = tuple(frozenset(classes_of(child)) for child in v)
        if key not in self.classifiers:
            self.classifiers[key] = self.make()
        return self.classifiers[key]

    def learn(self, x: Features, y: Hashable) -> None:
        """A class that is not in the tree comes beside it, under a new root; then the classifiers
        at the inner nodes above y learn on which side it is."""
        if self.tree is None:
            self.tree = (y,)
        elif y not in classes_of(self.tree):
            self.tree = (self.tree, (y,))
        v = self.tree
        while len(v) == 2:
            right = y in classes_of(v[1])
            self.classifier(v).learn_one(x, right)
            v = v[right]

    def rebuild(self, tree: Nested) -> None:
        """From now on this tree, with the classifiers of those inner nodes that it keeps, and
        beside it the classes that it lacks."""
        for c in classes_of(self.tree):
            tree = tree if c in classes_of(tree) else (tree, (c,))
        self.tree, inner, kept = tree, [tree], {}
        for v in inner:
            if len(v) == 2:
                kept[tuple(frozenset(classes_of(child)) for child in v)] = self.classifier(v)
                inner += v
        self.classifiers = kept

    def hard(self, x: Features) -> Hashable:
        """From the root down, wherever the classifiers say."""
        v = self.tree
        while len(v) == 2:
            v = v[bool(self.classifier(v).predict_one(x))]
        return v[0]

    def soft(self, x: Features) -> dict[Hashable, float]:
        """Of each class, the product of the probabilities along its path."""

        def below(v: Nested, p: float) -> dict[Hashable, float]:
            if len(v) == 1:
                return {v[0]: p}
            right = self.classifier(v).predict_proba_one(x).get(True, 0.0)
            return below(v[0], p * (1.0 - right)) | below(v[1], p * right)

        return below(self.tree, 1.0)
