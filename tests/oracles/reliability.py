"""Probabilities against frequencies, decision by decision.

Guo et al., "On calibration of modern neural networks" (2017), Eq. (3), where the decisions are all
pairs of an example and a label, and what is binned is the probability that the label is on.
"""

import math


def reliability(decisions, n_bins):
    """Of each bin that is not empty the mean of what was said, the share on, the weight."""
    rows = {}
    for i in range(n_bins):
        here = [d for d in decisions if min(int(d[0] * n_bins), n_bins - 1) == i]
        n = sum(w for _, _, w in here)
        if n:
            said = sum(w * p for p, _, w in here) / n
            on = sum(w for _, true, w in here if true) / n
            rows[i] = (said, on, n)
    return rows


def calibration_error(decisions, n_bins):
    """The mean distance of the two, by weight."""
    rows = reliability(decisions, n_bins).values()
    total = sum(n for _, _, n in rows)
    return sum(n * abs(said - on) for said, on, n in rows) / total if total else 0.0


def log_loss(parents, p, on):
    """Minus the logarithm of the probability that exactly these nodes are on, root included."""
    loss = 0.0
    for v, above in parents.items():
        if above and all(u in on for u in above):
            least = min(p.get(u, 0.0) if parents[u] else 1.0 for u in above)
            given = min(1.0, p.get(v, 0.0) / least) if least else 0.0
            loss += math.log(1 / max(1e-15, given if v in on else 1 - given))
    return loss
