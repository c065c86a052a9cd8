"""What calibration, decoders and readers of labels compute, against plain definitions."""

import gc
import math
import pickle
import weakref
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, _core, linear_model
from river_hier._core import Calibration, Labels, labels_of
from river_hier.decision import calibration
from river_hier.taxonomy.multilabel import closure_nodes, predicted_nodes
from support.strategies import dags, multilabels, parents_of, taxonomies, trees

# The squares of smaller ones are 0, or not exact.
scores_of_nodes = st.floats(-1e3, 1e3).filter(lambda s: s == 0.0 or abs(s) > 1e-150)
# Products and sums of these are far from each other, or equal.
chances = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 1.0])


@st.composite
def labelled(draw):
    """A taxonomy, and scores of its nodes with a multilabel and a weight."""
    t = draw(taxonomies())
    scores = st.lists(scores_of_nodes, min_size=len(t), max_size=len(t))
    example = st.tuples(scores.map(np.array), multilabels(t), st.sampled_from([1.0, 0.5, 3.0]))
    return t, draw(st.lists(example, min_size=1, max_size=8))


@given(labelled())
def test_calibration_equals_the_oracle(stream):
    t, examples = stream
    ours, theirs = Calibration(len(t)), oracles.Calibration()
    for scores, y, w in examples:
        found = dict(zip(t.nodes, ours.given(scores).tolist(), strict=True))
        if theirs.scores:
            expected = {v: theirs.given(v, s) for v, s in zip(t.nodes, scores, strict=True) if v}
            assert {v: found[v] for v in expected} == pytest.approx(expected, abs=1e-12)
        on = t.closure(y)
        asked = [v for v in t.nodes[1:] if on.issuperset(t.parents(v))]
        theirs.learn({v: float(scores[t.index(v)]) for v in asked}, {v: v in on for v in asked}, w)
        ours.learn(scores, y, labels_of(t), w)
    rows = np.array([scores for scores, _, _ in examples])
    again = pickle.loads(pickle.dumps(ours))
    assert ours.given(rows).tolist() == again.given(rows).tolist()
    assert ours.given(rows).tolist() == [ours.given(row).tolist() for row in rows]


def log_loss(p, on):
    p = min(max(p, 1e-12), 1.0 - 1e-12)
    return -math.log(p if on else 1.0 - p)


NO_COUNTS = np.zeros((0, 7))


@given(trees(1 + 1, 7), st.data())
def test_decisions_are_the_best_of_all_multilabels(t, data):
    parents = parents_of(t)
    given_parents = {v: data.draw(chances) for v in t.nodes[1:]}
    costs = {v: data.draw(st.sampled_from([1.0, 2.0, 5.0])) for v in t.nodes[1:]}
    counts = st.sampled_from([0.0, 0.5, 3.0, 40.0])
    rows = st.tuples(*[counts] * 6, st.sampled_from([-1.0, 1.0]))
    table = np.array(data.draw(st.lists(rows, max_size=len(t)))).reshape(-1, 7)
    factors, better = {}, {}
    for v, (*seen, gain) in zip(t.nodes, table.tolist(), strict=False):
        if t.children(v):
            factors[v] = oracles.factors_of(seen[:3], seen[3:])
            better |= {v: factors[v]} if gain < 0.0 else {}
    labels = labels_of(t)
    values = np.array([1.0, *given_parents.values()])
    p = labels.marginals(values)
    below = {t.root: 1.0}
    for v in t.nodes[1:]:
        below[v] = given_parents[v] * math.prod(below[u] for u in parents[v])
    assert p.tolist() == pytest.approx(list(below.values()))
    every = list(oracles.multilabels(parents))

    def chosen(nodes):
        return {t.root, *(t.nodes[v] for v in nodes)}

    def h_loss(y, c=None):
        return oracles.expected_h_loss(parents, given_parents, y, c, better)

    def joint(y, factors):
        return oracles.joint_probability(parents, given_parents, y, factors)

    of_costs = np.array([1.0, *costs.values()])
    best = chosen(_core.least_h_loss(labels, p, table))
    assert h_loss(best) == pytest.approx(min(map(h_loss, every)), abs=1e-9)
    best = chosen(_core.least_h_loss(labels, p, table, of_costs))
    assert h_loss(best, costs) == pytest.approx(min(h_loss(y, costs) for y in every), abs=1e-9)
    likeliest = chosen(_core.likeliest(labels, p, table))
    assert joint(likeliest, factors) == pytest.approx(max(joint(y, factors) for y in every))
    marginals = {v: sum(joint(y, better) for y in every if v in y) for v in t.nodes}
    found = chosen(_core.connected(labels, p, 0.4123, None, table))
    assert found == {v for v in t.nodes if marginals[v] >= 0.4123}
    y = data.draw(st.sampled_from(every))
    nodes, added = _core.child_counts(labels, p, y, table)
    assert {t.nodes[v] for v in nodes} == {v for v in y if t.children(v)}
    for v, row in zip(nodes, added, strict=True):
        if p[v] == 0.0:  # the model gives its children no probability of their own
            continue
        below = {u: given_parents[u] for u in t.children(t.nodes[v])}
        flat = {t.nodes[v]: (), **dict.fromkeys(below, (t.nodes[v],))}
        cases, gain = [0.0, 0.0, 0.0], 0.0
        for some in oracles.multilabels(flat):
            cases[min(len(some) - 1, 2)] += oracles.probability(flat, below, some)
        for u, on in ((u, u in y) for u in below):
            of = {t.nodes[v]: factors.get(t.nodes[v], (1.0, 1.0, 1.0))}
            every_flat = list(oracles.multilabels(flat))
            q = sum(oracles.joint_probability(flat, below, m, of) for m in every_flat if u in m)
            gain += log_loss(q, on) - log_loss(below[u], on)
        found_case = [float(k == min(len(below.keys() & y), 2)) for k in range(3)]
        assert row[:6].tolist() == pytest.approx([*found_case, *cases], abs=1e-9)
        if all(0.0 < q < 1.0 for q in below.values()):
            assert row[6] == pytest.approx(gain)
    depth = data.draw(st.integers(0, 3))
    on = oracles.likely_enough(parents, given_parents, 0.5)
    assert chosen(_core.connected(labels, values, 0.5, None)) == {t.root, *on}
    shallow = oracles.cut_multilabel(parents, on, depth)
    nodes = _core.connected(labels, values, 0.5, depth)
    assert chosen(nodes) == {t.root, *shallow}
    assert labels.dictionary(nodes) == {v: v in shallow for v in t.nodes[1:]}
    assert labels.probabilities(p) == {
        v: {False: 1.0 - q, True: q} for v, q in zip(t.nodes[1:], p[1:].tolist(), strict=True)
    }


@given(dags(3, 8), st.data())
def test_the_h_loss_in_a_dag_is_not_above_that_of_no_label(t, data):
    """Under the joint model, whose factors are 1 where children have several parents."""
    parents = parents_of(t)
    given_parents = {v: data.draw(chances) for v in t.nodes[1:]}
    costs = {v: data.draw(st.sampled_from([1.0, 2.0, 5.0])) for v in t.nodes[1:]}
    counts = st.sampled_from([0.0, 3.0, 40.0])
    rows = st.tuples(*[counts] * 6, st.sampled_from([-1.0, 1.0]))
    table = np.array(data.draw(st.lists(rows, min_size=len(t), max_size=len(t))))
    p = {t.root: 1.0}
    for v in t.nodes[1:]:
        (u, *others), p_v = parents[v], given_parents[v]
        below, row = t.children(u), table[t.index(u)].tolist()
        if row[6] < 0.0 and not others and all(len(parents[w]) == 1 for w in below):
            flat = {u: (), **dict.fromkeys(below, (u,))}
            known, of = (
                {w: given_parents[w] for w in below},
                {u: oracles.factors_of(row[:3], row[3:6])},
            )
            every = [y for y in oracles.multilabels(flat) if v in y]
            p_v = sum(oracles.joint_probability(flat, known, y, of) for y in every)
        p[v] = p_v * min(p[w] for w in parents[v])
    labels, q = labels_of(t), oracles.least_of_parents(parents, p)
    marginals = labels.marginals(np.array([1.0, *given_parents.values()]))
    for c in (None, costs):
        of_costs = None if c is None else np.array([1.0, *c.values()])
        best = chosen_of(t, _core.least_h_loss(labels, marginals, table, of_costs))
        assert t.closure(best) - {t.root} == best
        ours, none = (oracles.h_loss_of_marginals(parents, p, q, y, c) for y in (best, set()))
        assert ours <= none + 1e-9


def test_a_node_below_the_root_and_another_certain_node_counts_below_that():
    t = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d"), ("a", "d")])
    p = np.array([{"r": 1.0, "a": 1.0}.get(v, 0.5) for v in t.nodes])
    assert _core.least_h_loss(labels_of(t), p, NO_COUNTS) == []  # 1, as a costs 3/2 if it is on


@given(st.data(), taxonomies())
def test_ranks(data, t):
    some = st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan])
    values = data.draw(st.lists(some, min_size=len(t), max_size=len(t)))
    k, leaves = data.draw(st.integers(1, 12)), data.draw(st.booleans())
    depth = data.draw(st.none() | st.integers(0, 4))
    known = {v: value for v, value in zip(t.nodes, values, strict=True) if value == value}
    found = _core.ranked(labels_of(t), np.array(values), k, leaves, depth, True)
    expected = oracles.top(parents_of(t), known, k, True, leaves, depth)
    assert found == [(labels_of(t).path(t.index(v)), value) for v, value in expected]
    found = _core.ranked(labels_of(t), np.array(values), k, leaves, None, False)
    expected = oracles.top(parents_of(t), known, k, False, leaves)
    assert found == [(labels_of(t).path(t.index(v)), value) for v, value in expected]


def test_the_deepest_node_at_the_threshold_and_among_equals():
    t = Taxonomy.from_nested({"r": {"a": ["b", "c"], "d": ["e", "f"]}})
    labels = labels_of(t)

    def deepest(threshold, **p):
        values = np.array([p.get(v, 0.0) for v in t.nodes])
        return t.nodes[_core.deepest(labels, values, threshold)]

    equal = {"b": 0.25, "c": 0.25, "e": 0.25, "f": 0.25}
    assert deepest(0.25, **equal) == "b"  # the first of several that reach it
    assert deepest(math.nextafter(0.25, 1.0), **equal) == "a"
    assert deepest(0.5, **equal) == "a"
    assert deepest(math.nextafter(0.5, 1.0), **equal) == "r"
    assert deepest(0.25, b=0.25, c=0.25, e=0.125, f=0.375) == "f"  # the likeliest of equal depth
    assert deepest(0.125, a=0.75, e=0.125, f=0.125) == "e"  # deeper comes before likelier
    assert deepest(None, **equal) == "r"  # half is not more than half
    assert deepest(None, b=0.5, c=0.0625, e=0.4375) == "a"
    assert deepest(None, b=0.5625, e=0.4375) == "b"


def test_a_search_finds_the_deepest_node_at_the_threshold_and_among_equals():
    def deepest(edges, threshold):
        model = linear_model.HierarchicalSoftmax(Taxonomy(edges))  # all alternatives are alike
        v = _core.deepest(model._labels, model._answer({}).p(), threshold)
        return model.taxonomy_.nodes[v]

    chain = [("r", "a"), ("a", "b")]  # below r 1, below a 1/2, below b 1/4
    assert [deepest(chain, p) for p in (0.25, 0.5)] == ["b", "a"]
    assert [deepest(chain, math.nextafter(p, 1.0)) for p in (0.25, 0.5)] == ["a", "r"]
    assert deepest(chain, None) == "r"  # half is not more than half
    assert deepest([("r", "a"), ("r", "d"), ("a", "b"), ("d", "e")], 0.1) == "b"


def test_a_tie_of_the_h_loss_switches_a_node_on():
    t = Taxonomy.from_nested({"r": {"a": ["b"], "c": []}})

    def on(a, b, c, costs=None):
        p = [{"r": 1.0, "a": a, "b": b, "c": c}[v] for v in t.nodes]
        return chosen_of(t, _core.least_h_loss(labels_of(t), np.array(p), NO_COUNTS, costs))

    assert on(a=0.75, b=0.375, c=0.5) == {"a", "b", "c"}  # leaves: 3/8 and 1/2 on either side
    assert on(a=0.75, b=0.375, c=math.nextafter(0.5, 0.0)) == {"a", "b"}
    assert on(a=0.625, b=0.25, c=0.0) == {"a"}  # 3/8 + 1/4 below it = 5/8
    assert on(a=0.625, b=0.25 + 2**-40, c=0.0) == set()
    twice = np.array([1.0, 1.0, 1.0, 2.0])  # of b, the last node
    assert on(a=0.75, b=0.25, c=0.0, costs=twice) == {"a"}  # 1/4 + 2/4 = 3/4


def chosen_of(t, nodes):
    return {t.nodes[v] for v in nodes}


@pytest.mark.parametrize("far", [11.0, 1e3])
def test_one_far_score_moves_a_calibration_as_ten_units_do(far):
    """Of the shared parameters and those of the node; the unit is the root mean square so far."""
    t = Taxonomy.flat(["a", "b"], root="r")
    found = []
    for size in (far, 10.0, 9.0):
        ours = Calibration(len(t))
        for a, b in ((1.0, -1.0), (-1.0, 1.0)) * 3:
            ours.learn(np.array([0.0, a, b]), "a" if a > 0 else "b", labels_of(t), 1.0)
        ours.learn(np.array([0.0, -size, 1.0]), "a", labels_of(t), 1.0)
        found.append([part.tolist() for part in ours.saved()])
    assert found[0] == found[1] != found[2]


def test_one_far_score_moves_a_temperature_as_ten_units_do():
    found = []
    for size in (1e3, 10.0, 9.0):
        ours = calibration.Temperatures()
        for y in (0, 1) * 3:
            ours.learn(np.array([1.0, -1.0]), y, 1.0)
        ours.learn(np.array([size, -size]), 1, 1.0)
        found.append((ours.slopes, ours.scale.squares))
    assert found[0] == found[1] != found[2]


def test_the_scale_of_temperatures_is_that_of_the_latest_thousand_examples():
    rng = np.random.default_rng(1)
    ours, theirs = calibration.Temperatures(), oracles.Temperatures()
    for k in range(12):
        scores = rng.normal(size=3) * (5.0 if k < 4 else 1.0)
        ours.learn(scores, k % 3, 400.0)
        theirs.learn(dict(enumerate(scores.tolist())), k % 3, 400.0)
        assert ours.scale.unit == pytest.approx(theirs.unit())


def test_tiny_scores_leave_calibrations_finite():
    t = Taxonomy.flat(["a", "b"], root="r")
    several, single = Calibration(len(t)), calibration.Temperatures()
    far = np.array([0.0, 1e200, -1e200])
    for size, w in ((1e-160, 1.0), (0.0, 1e6), (1e-149, 1.0), (1e290, 1.0)):
        scores = np.array([0.0, size, -size])
        several.learn(scores, "a", labels_of(t), w)
        single.learn(scores, 1, w)
        for answer in (several.given(far), single.probabilities(far)):
            assert ((answer >= 0.0) & (answer <= 1.0)).all()


def outcome(read, y):
    """The nodes of y, or the error."""
    try:
        return read(y)
    except (ValueError, TypeError, LookupError) as error:
        return type(error), str(error)


@given(taxonomies(), st.data())
def test_the_compiled_core_reads_multilabels_like_python(t, data):
    labels = st.sampled_from([*t.nodes, "unknown"])
    bools = st.sampled_from([True, False, 1, 0, np.True_, 2])
    y = data.draw(
        st.dictionaries(labels, bools)
        | st.fixed_dictionaries(dict.fromkeys(t.nodes[1:], st.booleans()))
        | st.lists(labels)
        | st.sets(labels)
        | labels
        | st.none()
    )
    compiled = Labels(t)
    assert outcome(compiled.closure, y) == outcome(partial(closure_nodes, t), y)
    assert outcome(compiled.predicted, y) == outcome(partial(predicted_nodes, t), y)


def test_a_taxonomy_and_its_labels_are_collected_together():
    label = type("Label", (), {})()
    t = Taxonomy.flat([label])
    assert labels_of(t) is labels_of(t)
    watched = weakref.ref(label)
    del label, t
    gc.collect()
    assert watched() is None
