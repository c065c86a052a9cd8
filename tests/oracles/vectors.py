"""Sparse vectors as dicts."""


def dot(w, x):
    """w . x."""
    return sum((w.get(name, 0.0) * value for name, value in x.items()), 0.0)


def add(w, scale, x):
    """w += scale x, in place."""
    for name, value in x.items():
        w[name] = w.get(name, 0.0) + scale * value
