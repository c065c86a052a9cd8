"""Predictions and true labels in every form that losses and metrics accept."""

from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy
from support.strategies import multilabels, parents_of

ANIMALS = Taxonomy.from_nested({"animal": {"mammal": ["wolf", "whale"], "bird": ["owl"]}})
P_ANIMALS = {"mammal": 0.8, "bird": 0.1, "wolf": 0.5, "whale": 0.3, "owl": 0.9}


def answers(taxonomy):
    """A prediction in any form, or none, and the nodes (but the root) that it means."""
    return st.one_of(given_answers(taxonomy), st.just((None, set())))


def given_answers(taxonomy):
    """A prediction in any form."""
    parents = parents_of(taxonomy)

    def label(y):
        return y, oracles.closure(parents, [y])

    def labels(y):
        return y, oracles.closure(parents, y)

    def flat(on):  # respects the taxonomy or not
        y = dict(zip(taxonomy.nodes[1:], on, strict=True))
        return y, {v for v in y if y[v]}

    def partial(stated):  # what is unsaid is filled in
        off = {v for v in stated if not stated[v]}
        on = set(stated) - off
        while above := {p for v in on for p in parents[v]} - on - off:
            on |= above
        return stated, on

    n, sets = len(taxonomy) - 1, multilabels(taxonomy)
    stated = st.dictionaries(st.sampled_from(taxonomy.nodes[1:]), st.booleans())
    return st.one_of(
        st.sampled_from(taxonomy.nodes).map(label),
        sets.map(labels),
        sets.map(list).map(labels),
        sets.map(tuple).map(labels),
        sets.map(frozenset).map(labels),
        stated.map(partial),
        st.lists(st.booleans(), min_size=n, max_size=n).map(flat),
        st.lists(st.booleans(), min_size=n, max_size=n).map(flat),
    )


def truths(taxonomy):
    """A truth in any form, and the nodes that it means: a closed multilabel."""
    parents = parents_of(taxonomy)

    def read(y):
        form, on = y
        on = oracles.closure(parents, on)
        return ({v: v in on for v in form} if isinstance(form, dict) else form), on

    return given_answers(taxonomy).map(read)
