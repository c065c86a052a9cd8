"""Expected losses, by enumeration."""

import itertools
import math

from .losses import h_loss, symmetric_difference_loss, zero_one_loss
from .trees import closure, labels_below_root, root


def multilabels(parents):
    """Every multilabel that respects the taxonomy, root included: 2^N subsets, filtered."""
    labels = labels_below_root(parents)
    for on in itertools.product([False, True], repeat=len(labels)):
        multilabel = {root(parents)} | {v for v, is_on in zip(labels, on, strict=True) if is_on}
        if multilabel == closure(parents, multilabel):
            yield multilabel


def probability(parents, p, multilabel):
    """f_G(v | x) = prod_i P(V_i = v_i | parent, x) ([R] section 5), p[i] = P(V_i = 1 | on)."""
    product = 1.0
    for i in labels_below_root(parents):
        p_i = p[i] if all(j in multilabel for j in parents[i]) else 0.0  # [R] Eq. 2
        product *= p_i if i in multilabel else 1.0 - p_i
    return product


def joint_probability(parents, p, multilabel, factors):
    """P(V = v | x) where nodes have a factor for no child that is on, for one and for more."""
    product = probability(parents, p, multilabel)
    for u in multilabel & factors.keys():
        below = [v for v in parents if u in parents[v]]
        cases = [0.0, 0.0, 0.0]
        for on in itertools.product([False, True], repeat=len(below)):
            chances = (p[v] if v_on else 1.0 - p[v] for v, v_on in zip(below, on, strict=True))
            cases[min(sum(on), 2)] += math.prod(chances)
        case = min(len(multilabel.intersection(below)), 2)
        product *= factors[u][case] / sum(f * q for f, q in zip(factors[u], cases, strict=True))
    return product


def factors_of(found, expected):
    """How often a case occurs over how often it is expected, both with 4 examples more."""
    more = [4.0 * e / (sum(expected) or 1.0) for e in expected]
    both = zip(found, expected, more, strict=True)
    return [(n + prior) / (e + prior) if e else 1.0 for n, e, prior in both]


def expected_loss(parents, p, loss, factors=None):
    """E loss(V), V drawn from f_G ([R] section 6), or from the joint model with factors."""
    every = multilabels(parents)
    return sum((joint_probability(parents, p, v, factors or {}) * loss(v) for v in every), 0.0)


def expected_h_loss(parents, p, pred, costs=None, factors=None):
    """The expected H-loss of a prediction."""
    return expected_loss(parents, p, lambda true: h_loss(parents, true, pred, costs), factors)


def h_loss_of_marginals(parents, p, q, pred, costs=None):
    """The expected H-loss of a prediction that respects the taxonomy, in a tree or a DAG.

    p[i] is the probability that i is on, q[i] that all its parents are. As i is on only if they
    are, it is wrong below ancestors that are right with probability q[i] - p[i] if it is predicted
    on, and p[i] if it is predicted off and its parents on.
    """
    loss = 0.0
    for i in labels_below_root(parents):
        if all(j in pred or j == root(parents) for j in parents[i]):
            wrong = q[i] - p[i] if i in pred else p[i]
            loss += wrong if costs is None else costs.get(i, 1.0) * wrong
    return loss


def least_of_parents(parents, p):
    """The most that the probability that all parents of a node are on can be."""
    return {i: min((p[j] for j in parents[i]), default=1.0) for i in parents}


def expected_zero_one_loss(parents, p, pred):
    """The expected zero-one loss of a prediction."""
    return expected_loss(parents, p, lambda true: zero_one_loss(parents, true, pred))


def expected_symmetric_difference_loss(parents, p, pred, volumes=None, missed=1.0, spurious=1.0):
    """The expected symmetric difference loss of a prediction."""

    def loss(true):
        return symmetric_difference_loss(parents, true, pred, volumes, missed, spurious)

    return expected_loss(parents, p, loss)


def expected_shared(parents, p, pred):
    """The expected number of predicted nodes that are on."""
    return expected_loss(parents, p, lambda true: len(true & pred))


def expected_hf_beta(parents, p, pred, beta):
    """The expected F of one example, 0 if nothing is on and nothing is predicted."""

    def f(true):
        n_true = len(true - {root(parents)})
        whole = beta * beta * n_true + len(pred)
        return (1.0 + beta * beta) * len(true & pred) / whole if whole else 0.0

    return expected_loss(parents, p, f)
