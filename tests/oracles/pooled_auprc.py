"""The area under the pooled precision-recall curve, threshold by threshold.

Vens et al., "Decision trees for hierarchical multi-label classification" (2008), section 5: every
pair of an example and a label is one decision, and the curve is drawn from all of them together;
between two thresholds as Davis and Goadrich (2006) draw it, the true positives growing evenly with
the false ones.
"""

Decision = tuple[float, bool, float]  # score, truth, weight


def counts(decisions, threshold):
    """True and false positives at a threshold."""
    tp = sum(w for score, true, w in decisions if score >= threshold and true)
    fp = sum(w for score, true, w in decisions if score >= threshold and not true)
    return tp, fp


def pooled_auprc(decisions, steps=2000):
    """The area, each stretch between two thresholds cut into so many steps (midpoint rule)."""
    positives = sum(w for _, true, w in decisions if true)
    if not positives:
        return 0.0
    area = tp = fp = 0.0
    for threshold in sorted({score for score, _, _ in decisions}, reverse=True):
        next_tp, next_fp = counts(decisions, threshold)
        for i in range(steps):
            share = (i + 0.5) / steps
            t = tp + share * (next_tp - tp)
            f = fp + share * (next_fp - fp)
            if t > 0.0:
                area += (next_tp - tp) / steps / positives * t / (t + f)
        tp, fp = next_tp, next_fp
    return area
