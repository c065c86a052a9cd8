"""Taxonomies as dicts of parents."""


def root(parents):
    """The one node without parents."""
    return next(v for v in parents if parents[v] == ())


def labels_below_root(parents):
    """Every node but the root, in taxonomy order: the N labels of [R]."""
    return [v for v in parents if v != root(parents)]


def children(parents, v):
    """The children of v, in taxonomy order."""
    return [c for c in parents if v in parents[c]]


def ancestors(parents, v):
    """The proper ancestors of v, root included: ANC(i) of [R] and the root."""
    found = set()
    for u in parents[v]:
        found |= {u} | ancestors(parents, u)
    return found


def path(parents, v):
    """The path P(v) = root..v of a tree ([H] section 2)."""
    if parents[v] == ():
        return [v]
    (parent,) = parents[v]  # fails on a DAG: there a path is not unique
    return [*path(parents, parent), v]


def depth(parents, v):
    """Edges from the root down to v; the longest way where a DAG has several."""
    return max((1 + depth(parents, u) for u in parents[v]), default=0)


def distance(parents, u, v):
    """gamma(u, v): edges between u and v ([H] section 2), by breadth-first search."""
    found, frontier, edges = {u}, [u], 0
    while v not in found:
        edges += 1
        frontier = [b for a in frontier for b in (*parents[a], *children(parents, a))]
        frontier = [b for b in dict.fromkeys(frontier) if b not in found]
        found |= set(frontier)
    return edges


def lca(parents, u, v):
    """The deepest node that is u or above u, and is v or above v (a DAG: the first such)."""
    common = ({u} | ancestors(parents, u)) & ({v} | ancestors(parents, v))
    return max((a for a in parents if a in common), key=lambda a: depth(parents, a))


def closure(parents, labels):
    """The labels with all their ancestors and the root, which is always on."""
    closed = {root(parents)}
    for v in labels:
        closed |= {v} | ancestors(parents, v)
    return closed


def truncate(parents, labels):
    """The G-truncation ([R] section 3): a label stays iff all its ancestors are on."""
    on = {root(parents), *labels}
    return {v for v in on if ancestors(parents, v) <= on}


def ends(parents, y):
    """The nodes of the closure of y none of whose children are in it."""
    on = closure(parents, y)
    return [v for v in parents if v in on and not on & set(children(parents, v))]


def misc_leaves(parents, multilabels):
    """A new leaf for each inner node at which one of these ends ([T] section 2.1)."""
    ended = {v for y in multilabels for v in ends(parents, y)}
    return {v: f"{v}, other" for v in parents if v in ended and children(parents, v)}
