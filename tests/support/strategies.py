"""Taxonomies, multilabels and examples for hypothesis."""

from hypothesis import strategies as st

from river_hier import Taxonomy

# Labels of every kind that a stream may bring; none of them equals another.
LABELS = ["wolf", 7, True, ("a", "b"), "", 2.5, frozenset({"f"}), b"x", "fox", -3, ("c",), "owl"]


@st.composite
def trees(draw, min_nodes=2, max_nodes=9):
    n = draw(st.integers(min_nodes, max_nodes))
    labels = draw(st.permutations(LABELS))[:n]
    parents = [draw(st.integers(0, v - 1)) for v in range(1, n)]
    return Taxonomy([(labels[p], labels[v]) for v, p in enumerate(parents, start=1)])


@st.composite
def dags(draw, min_nodes=2, max_nodes=9):
    n = draw(st.integers(min_nodes, max_nodes))
    labels = draw(st.permutations(LABELS))[:n]
    above = [draw(st.sets(st.integers(0, v - 1), min_size=1, max_size=3)) for v in range(1, n)]
    return Taxonomy(
        [(labels[p], labels[v]) for v, ps in enumerate(above, start=1) for p in sorted(ps)]
    )


def taxonomies(min_nodes=2, max_nodes=9):
    return st.one_of(trees(min_nodes, max_nodes), dags(min_nodes, max_nodes))


def multilabels(taxonomy):
    """Any set of labels but the root; not closed."""
    return st.sets(st.sampled_from(taxonomy.nodes[1:]))


# Halves are exact in binary, so that ties are ties in any order of summation.
values = st.integers(-6, 6).map(lambda i: i / 2)
reals = st.floats(-3, 3, allow_nan=False).filter(lambda v: v == 0 or abs(v) > 1e-3)


def features(numbers=values):
    """Sparse feature dicts, the empty one and zeros included; features come and go."""
    return st.dictionaries(st.sampled_from(["a", "b", "c", 1, ("d", 2)]), numbers, max_size=5)


@st.composite
def single_label_streams(draw):
    taxonomy = draw(trees())
    example = st.tuples(features(), st.sampled_from(taxonomy.nodes))
    return taxonomy, draw(st.lists(example, max_size=25))


@st.composite
def multilabel_streams(draw):
    taxonomy = draw(taxonomies())
    example = st.tuples(features(), multilabels(taxonomy))
    return taxonomy, draw(st.lists(example, max_size=25))


def parents_of(taxonomy):
    """The taxonomy as the oracles take it."""
    return {label: taxonomy.parents(label) for label in taxonomy}


@st.composite
def extensions(draw, before):
    """A tree with some more nodes below those of a tree."""
    new = draw(st.lists(st.sampled_from(["new", ("new", 2), 99, -99]), unique=True, min_size=1))
    edges = []
    for label in new:
        edges.append((draw(st.sampled_from([*before.nodes, *(v for _, v in edges)])), label))
    return before.extend(edges)


# Weights of successive examples: most are 1.
sample_weights = st.lists(st.sampled_from([1.0, 1.0, 0.25, 2.0, 3.75]), min_size=26, max_size=26)
