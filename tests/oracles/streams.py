"""What the transformers of streams do to a label, and what random labels are like.

A multilabel is the set of the nodes that are on, root included; a single label is its path.
"""

import math

from .trees import ancestors, children, closure, labels_below_root


def path_ends(parents, on):
    """The most specific nodes: those that are on without any child."""
    return {v for v in on if not any(c in on for c in children(parents, v))}


def siblings(parents, v):
    """The other nodes with the very same parents."""
    return [u for u in parents if u != v and parents[v] and parents[u] == parents[v]]


def renamed(parents, on, new):
    """The multilabel once some of its ends have been given other names."""
    above = set().union(*(ancestors(parents, v) for v in on))
    return closure(parents, above | {new.get(v, v) for v in path_ends(parents, on)})


def after_drift(parents, drift_in, on):
    """Every end below a node is called by the name of the next of its siblings, cyclically."""
    new = {}
    for v in path_ends(parents, on):
        if drift_in in ancestors(parents, v):
            family = [u for u in parents if parents[u] == parents[v]]
            new[v] = family[(family.index(v) + 1) % len(family)]
    return renamed(parents, on, new)


def so_far(parents, appears_at, step, on):
    """The nodes that have appeared by that step, and so have all their ancestors."""
    return {v for v in on if all(appears_at.get(u, 0) <= step for u in closure(parents, [v]))}


def priors(parents, popularity, paths):
    """P(node on): 1 + Poisson(paths - 1) ends, of which one at least is the node or below it."""
    on = {}
    for v in labels_below_root(parents):
        missed = 1 - sum(popularity[u] for u in popularity if v in closure(parents, [u]))
        on[v] = sum(
            math.exp(1 - paths) * (paths - 1) ** k / math.factorial(k) * (1 - missed ** (1 + k))
            for k in range(60)
        )
    return on
