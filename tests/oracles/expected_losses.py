"""Expected losses, by enumeration."""

import itertools

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


def expected_loss(parents, p, loss):
    """E loss(V), V drawn from f_G ([R] section 6)."""
    return sum((probability(parents, p, v) * loss(v) for v in multilabels(parents)), 0.0)


def expected_h_loss(parents, p, pred, costs=None):
    """The expected H-loss of a prediction."""
    return expected_loss(parents, p, lambda true: h_loss(parents, true, pred, costs))


def expected_zero_one_loss(parents, p, pred):
    """The expected zero-one loss of a prediction."""
    return expected_loss(parents, p, lambda true: zero_one_loss(parents, true, pred))


def expected_symmetric_difference_loss(parents, p, pred, volumes=None, missed=1.0, spurious=1.0):
    """The expected symmetric difference loss of a prediction."""

    def loss(true):
        return symmetric_difference_loss(parents, true, pred, volumes, missed, spurious)

    return expected_loss(parents, p, loss)
