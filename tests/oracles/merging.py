"""Models that have learned apart, merged into one.

The parts are oracles that were all copies of `start` and have learned since. Weights and variances
are those of nodes, or of whatever has a weight vector; a missing weight is 0.
"""

from typing import Any

from .averages import first_examples


def names(vectors, v):
    return {name for each in vectors for name in each[v]}


def mixed(parts, counts, start):
    """Parameter mixing (McDonald, Hall & Mann 2010): the mean of the weights, in which a part
    counts as much as the examples that it has learned since the start."""
    means = {v: {} for v in start}
    for v, w in means.items():
        for name in names(parts, v):
            moves = [part[v].get(name, 0.0) - start[v].get(name, 0.0) for part in parts]
            moved = sum(n * move for n, move in zip(counts, moves, strict=True))
            w[name] = start[v].get(name, 0.0) + moved / (sum(counts) or 1.0)
    return means


def mixed_by_precision(parts, start, prior=1.0, share=1.0):
    """The mean of the weights, in which a part counts the precision that it has gained and a share
    of `prior`, the precision of weights at first; and the variances, as precisions add up."""
    (w0, S0), means, variances = start, dict[Any, Any](), dict[Any, Any]()
    for v in w0:
        means[v], variances[v] = {}, {}
        for name in names([part[0] for part in parts], v):
            before, moved, gained = 1.0 / S0[v].get(name, 1.0 / prior), 0.0, 0.0
            for w, S in parts:
                gain = max(1.0 / S[v].get(name, 1.0 / prior) - before, 0.0)
                moved += (share * prior + gain) * (w[v].get(name, 0.0) - w0[v].get(name, 0.0))
                gained += gain
            means[v][name] = w0[v].get(name, 0.0) + moved / (share * prior + gained)
            variances[v][name] = 1.0 / (before + gained)
    return means, variances


def average_of_all(parents, parts, start, merged):
    """The average of the hypotheses of all parts, those of the start once, and of the merged one.

    As in one model, the hypotheses of a part do not count for a node without examples there,
    unless no part has an example of it."""
    before = len(start.labels)
    first = [first_examples(parents, p.labels, p.from_first_round) for p in parts]
    at_start = first_examples(parents, start.labels, start.from_first_round)
    means = {}
    for v in merged:
        begun = any(v in of for of in first)
        every = [merged[v]]
        if v in at_start or not begun:
            every += [w[v] for w in start.hypotheses[at_start.get(v, 0) : -1]]
        for part, of in zip(parts, first, strict=True):
            if v in of or not begun:
                every += [w[v] for w in part.hypotheses[max(of.get(v, 0), before) : -1]]
        found = {name for w in every for name in w}
        means[v] = {name: sum(w.get(name, 0.0) for w in every) / len(every) for name in found}
    return means
