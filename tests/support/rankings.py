"""Candidates and examples for tests of label rankers."""

import numpy as np
from hypothesis import strategies as st

import oracles
from support.strategies import parents_of


def candidates_of(taxonomy):
    """None, or some labels but the root."""
    return st.none() | st.sets(st.sampled_from(taxonomy.nodes[1:]), min_size=1)


def listed(taxonomy, candidates):
    """The candidates in taxonomy order."""
    if candidates is None:
        return oracles.leaves(parents_of(taxonomy))
    return [v for v in taxonomy.nodes if v in candidates]


BAD_CANDIDATES = [
    (["b", "x"], ValueError, "label 'x' is not in the taxonomy"),
    ([], ValueError, "`candidates` must not be empty; name labels, or leave it out"),
    (["r", "b"], ValueError, "`candidates` must not hold the root, 'r'"),
    ("b", TypeError, "`candidates` must be a collection of labels, .*, got 'b'"),
    (iter("b"), TypeError, "`candidates` must be a collection of labels"),
    (3, TypeError, "`candidates` must be a collection of labels, .*, got 3"),
]


def separable(taxonomy, n, seed):
    """Two leaves an example; x tells all the nodes that are on, and some noise."""
    rng = np.random.default_rng(seed)
    leaves = oracles.leaves(parents_of(taxonomy))
    examples = []
    for _ in range(n):
        y = {leaves[i] for i in rng.choice(len(leaves), size=min(2, len(leaves)), replace=False)}
        on = taxonomy.closure(y) - {taxonomy.root}
        examples.append(({**dict.fromkeys(on, 1.0), "noise": float(rng.normal())}, y))
    return examples
