"""Losses of one example."""

from .trees import ancestors, closure, distance, labels_below_root, root

# Sets are taken as they are, closed or not (Lemma 1 is about predictions that are not), and the
# root is ignored, in the sets or out. Costs and volumes that are not given are 1.


def tree_induced_error(parents, y, yhat):
    """gamma(y, yhat), for single labels ([H] section 2)."""
    return distance(parents, y, yhat)


def differs(v, true, pred):
    """{yhat_v != v_v}."""
    return (v in true) != (v in pred)


def h_loss(parents, true, pred, costs=None):
    """sum_i c_i {yhat_i != v_i and yhat_j = v_j, j in ANC(i)} ([R] section 3, Remark 5)."""
    loss = 0.0
    for i in labels_below_root(parents):
        above = ancestors(parents, i) - {root(parents)}
        if differs(i, true, pred) and not any(differs(j, true, pred) for j in above):
            loss += 1.0 if costs is None else costs.get(i, 1.0)
    return loss


def zero_one_loss(parents, true, pred):
    """{exists i: yhat_i != v_i} ([R] section 3)."""
    return float(any(differs(i, true, pred) for i in labels_below_root(parents)))


def symmetric_difference_loss(parents, true, pred, volumes=None, missed=1.0, spurious=1.0):
    """c- sum_{v in Y - Yhat} s_v + c+ sum_{v in Yhat - Y} s_v ([T]; [R] section 3 with all 1).

    [T] writes anc(Y) and anc(Yhat): the same on multilabels that are closed.
    """
    loss = 0.0
    for v in labels_below_root(parents):
        volume = 1.0 if volumes is None else volumes.get(v, 1.0)
        if v in true and v not in pred:
            loss += missed * volume
        if v in pred and v not in true:
            loss += spurious * volume
    return loss


def precision_recall(parents, pairs):
    """Micro-averaged hierarchical precision and recall of (true, pred) pairs; 0 / 0 is 0.

    hP = sum |C & Chat| / sum |Chat|, hR = sum |C & Chat| / sum |C|: closures without the root.
    """
    both = n_pred = n_true = 0
    for true, pred in pairs:
        closed_true = closure(parents, true) - {root(parents)}
        closed_pred = closure(parents, pred) - {root(parents)}
        both += len(closed_true & closed_pred)
        n_pred += len(closed_pred)
        n_true += len(closed_true)
    return (both / n_pred if n_pred else 0.0, both / n_true if n_true else 0.0)
