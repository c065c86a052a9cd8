"""Answers a person can use: stopping early, the likeliest paths, what a decision is made of."""

from .trees import ancestors, children, depth


def mass(parents, p, v):
    """The probability that the label is v or below it."""
    return p.get(v, 0.0) + sum(mass(parents, p, c) for c in children(parents, v))


def deepest(parents, p, threshold):
    """The deepest node at or below which the label is at least so likely, or the root.

    Of several the likeliest, of those the first.
    """
    best, key = None, None
    for v in parents:
        likely = 1.0 if not parents[v] else mass(parents, p, v)
        if likely >= threshold and (key is None or (depth(parents, v), likely) > key):
            best, key = v, (depth(parents, v), likely)
    return best


def cut(parents, v, max_depth):
    """The label itself, or its ancestor at that depth."""
    while depth(parents, v) > max_depth:
        (v,) = parents[v]
    return v


def cut_multilabel(parents, on, max_depth):
    """Nodes that are deeper are off."""
    return {v for v in on if depth(parents, v) <= max_depth}


def likely_enough(parents, p, threshold):
    """The nodes that reach the threshold, as all above them do."""
    return {
        v for v in p if all(p[u] >= threshold for u in {v, *ancestors(parents, v)} if parents[u])
    }


def parts(path_weights, x):
    """w_j x_j, summed over the weight vectors that make up a score; zeros are left out."""
    found = {}
    for w in path_weights:
        for name, value in x.items():
            found[name] = found.get(name, 0.0) + w.get(name, 0.0) * value
    return {name: part for name, part in found.items() if part}


def top(parents, p, k, multilabel, leaves=False, max_depth=None):
    """The k largest of p, among the leaves, at a depth, or all.

    Single labels are compared at a depth by the masses of subtrees with a known label. Ties: the
    deeper first for multilabels, then the first.
    """
    if max_depth is not None and not multilabel:
        known = [v for v in parents if any(v in {u, *ancestors(parents, u)} for u in p)]
        p = {v: mass(parents, p, v) for v in known}
    found = [v for v in parents if v in p and (parents[v] or not multilabel)]
    found = [v for v in found if not leaves or not children(parents, v)]
    found = [v for v in found if max_depth is None or depth(parents, v) == max_depth]
    ranked = sorted(found, key=lambda v: (-p[v], -depth(parents, v) if multilabel else 0))
    return [(v, p[v]) for v in ranked[:k]]
