"""The transformers of streams: how they change labels, and how often."""

import copy
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from river.datasets.base import MO_BINARY_CLF, MULTI_CLF

import oracles
from oracles.edits import edited
from river_hier import Taxonomy, evaluate, linear_model, losses
from river_hier.datasets import synth
from river_hier.datasets.base import TaxonomyDataset
from river_hier.taxonomy import UnknownLabelError
from support.strategies import multilabel_streams, parents_of, single_label_streams

TREE = Taxonomy.from_nested(
    {"animal": {"mammal": {"dog": ["wolf", "fox"], "cat": None}, "bird": ["owl"]}}
)
# d and e share their parents, as do b and c; f has one parent more than g.
_ABOVE = {"b": "a", "c": "a", "d": "bc", "e": "bc", "f": "da", "g": "d"}
DAG = Taxonomy([(parent, child) for child, above in _ABOVE.items() for parent in above])
LABELS = synth.PrototypeTree(branching=2, depth=3, seed=1)
MULTILABELS = synth.LinearLabels(TREE, n_features=3, seed=1)
TRANSFORMED = [
    synth.Appearing(LABELS, {"1.1": 100, "2": 400}),
    synth.Appearing(MULTILABELS, {"dog": 100, "bird": 400}),
    synth.SubtreeDrift(LABELS, "1", 100),
    synth.SubtreeDrift(MULTILABELS, "mammal", 0, drift_width=300),
    synth.SubtreeDrift(synth.PrototypePaths(DAG, seed=1), "a", 100),
    synth.SubtreeDrift(synth.Appearing(MULTILABELS.take(500), {"cat": 50}), "dog", 100),
]


class Listed(TaxonomyDataset):
    """Some examples, as a stream."""

    def __init__(self, taxonomy, examples, task=MULTI_CLF):
        super().__init__(task, 3, n_samples=len(examples))
        self.known = taxonomy
        self.examples = examples

    @property
    def taxonomy(self):
        return self.known

    def __iter__(self):
        return iter(self.examples)


def full(taxonomy, labels):
    on = taxonomy.closure(labels)
    return {label: label in on for label in taxonomy.nodes[1:]}


@st.composite
def streams(draw):
    if draw(st.booleans()):
        return Listed(*draw(single_label_streams()))
    taxonomy, examples = draw(multilabel_streams())
    return Listed(taxonomy, [(x, full(taxonomy, y)) for x, y in examples], MO_BINARY_CLF)


def nodes_on(taxonomy, y):
    """With the root; dictionaries must be closed upwards already."""
    if not isinstance(y, dict):
        return set(taxonomy.path(y))
    on = {taxonomy.root, *(label for label, yes in y.items() if yes)}
    assert on == taxonomy.closure(y)
    assert {type(yes) for yes in y.values()} <= {bool}
    return on


# --- All transformers ---------------------------------------------------------------------------


@pytest.mark.parametrize("stream", TRANSFORMED)
def test_attributes_of_the_inner_stream_are_kept(stream):
    inner = stream.stream
    assert stream.taxonomy is inner.taxonomy
    for name in ("task", "n_features", "n_classes", "n_outputs", "sparse"):
        assert getattr(stream, name) == getattr(inner, name)
    assert stream.n_samples == inner.n_samples
    assert stream.take(5).taxonomy is stream.taxonomy
    assert not hasattr(stream, "probabilities")  # they would belong to the old labels
    assert all(hasattr(MULTILABELS, name) for name in ("probabilities", "reference"))


@pytest.mark.parametrize("stream", TRANSFORMED)
def test_the_inner_stream_does_not_change(stream):
    before = copy.deepcopy(list(stream.stream.take(200)))
    for x, y in stream.take(100):
        x.clear()
        if isinstance(y, dict):
            y.clear()
    assert list(stream.stream.take(200)) == before


@pytest.mark.parametrize("stream", TRANSFORMED)
def test_examples_are_plain_python_and_closed_upwards(stream):
    for x, y in stream.take(200):
        assert {type(value) for value in x.values()} == {float}
        assert nodes_on(stream.taxonomy, y) <= set(stream.taxonomy)


@pytest.mark.parametrize("stream", TRANSFORMED)
def test_features_do_not_change(stream):
    given = iter([x for x, _ in stream.stream.take(2000)])
    assert all(x in given for x, _ in stream.take(100))  # a subsequence


# --- Appearing ----------------------------------------------------------------------------------


@given(stream=streams(), data=st.data())
def test_labels_appear_as_in_the_oracle(stream, data):
    t = stream.taxonomy
    steps = st.integers(0, len(stream.examples) + 1)
    appears_at = data.draw(st.dictionaries(st.sampled_from(t.nodes[1:]), steps))
    appearing = synth.Appearing(stream, appears_at)
    parents = parents_of(t)
    for step, ((_, y), (_, z)) in enumerate(zip(stream, appearing, strict=True)):
        there = oracles.so_far(parents, appears_at, step, set(t))
        assert set(appearing.taxonomy_at(step)) == there
        expected = oracles.so_far(parents, appears_at, step, nodes_on(t, y))
        assert nodes_on(t, z) == expected
        if isinstance(z, dict):
            assert set(z) == there - {t.root}
        else:
            assert oracles.path_ends(parents, expected) == {z}


# --- Edited -------------------------------------------------------------------------------------


@given(streams(), st.integers(0, 5), st.data())
def test_labels_are_edited_from_a_step_on(stream, at, data):
    t = stream.taxonomy
    steps = []
    for v in data.draw(st.lists(st.sampled_from(t.nodes[1:] or t.nodes), max_size=3)):
        change = data.draw(st.sampled_from([{"retire": v}, {"rename": v, "to": f"{v} now"}]))
        with suppress(ValueError):
            t.edit([*steps, change])
            steps.append(change)
    parents, became = edited(parents_of(t), steps)
    edit = t.edit(steps)

    def above(v):
        return {v}.union(*(above(p) for p in parents[v]))

    for step, ((x, y), (same, new)) in enumerate(
        zip(stream, synth.Edited(stream, edit, at), strict=True)
    ):
        assert same == x
        if step < at:
            assert new == y
        elif not isinstance(y, dict):
            assert new == became[y]
        else:
            on = {v for v in y if y[v]} | {t.root}
            low = {v for v in on if not any(c in on for c in t.children(v))}
            on = set().union(*(above(became[v]) for v in low))
            assert new == {v: v in on for v in edit.after.nodes[1:]}


# --- SubtreeDrift -------------------------------------------------------------------------------


@given(stream=streams(), data=st.data())
def test_labels_are_swapped_as_in_the_oracle(stream, data):
    t = stream.taxonomy
    parents = parents_of(t)
    drift_in, drift_at = data.draw(st.sampled_from(t.nodes)), data.draw(st.integers(0, 20))
    below = {v for v in t if drift_in in oracles.ancestors(parents, v)}
    if not any(oracles.siblings(parents, v) for v in below):
        with pytest.raises(ValueError, match="no two siblings are below it"):
            synth.SubtreeDrift(stream, drift_in, drift_at)
        return
    drifting = synth.SubtreeDrift(stream, drift_in, drift_at)
    for step, ((_, y), (_, z)) in enumerate(zip(stream, drifting, strict=True)):
        on = nodes_on(t, y)
        assert nodes_on(t, z) == (
            oracles.after_drift(parents, drift_in, on) if step >= drift_at else on
        )
        if step < drift_at:
            assert z == y
    renamed = drifting.renamed
    assert set(renamed) == set(renamed.values()) <= below
    assert all(new != old and t.parents(new) == t.parents(old) for old, new in renamed.items())


def test_a_gradual_drift_is_a_linearly_changing_mixture():
    start, width = 500, 9000
    wolves = Listed(TREE, [({}, "wolf")] * 10_000)
    changed = [y == "fox" for _, y in synth.SubtreeDrift(wolves, "dog", start, width, seed=1)]
    assert not any(changed[:start])
    assert all(changed[start + width - 1 :])
    for i in range(9):
        p = (i + 0.5) / 9
        within = sum(changed[start + 1000 * i : start + 1000 * (i + 1)])
        assert abs(within - 1000 * p) < 4 * math.sqrt(1000 * p * (1 - p))
    seeds = [synth.SubtreeDrift(wolves, "dog", 2, 99, seed=s).take(99) for s in (1, 1, 2, None)]
    first, same, *others = ([y for _, y in stream] for stream in seeds)
    assert first == same
    assert all(other != first for other in others)


# --- In River's loop, on files and on real data ---------------------------------------------------


def test_regret_is_sampled_and_needs_a_finite_stream():
    drifting = synth.SubtreeDrift(MULTILABELS, "dog", 9)
    model, reference = linear_model.HPerceptron(TREE), MULTILABELS.reference
    (state,) = evaluate.iter_regret(drifting.take(50), model, reference, losses.h_loss, step=50)
    assert state["Loss"] == int(state["Loss"])  # not an expectation
    within = synth.SubtreeDrift(MULTILABELS.take(50), "dog", 9)
    model, reference = linear_model.HPerceptron(TREE), MULTILABELS.reference
    assert evaluate.regret(within, model, reference, losses.h_loss) == state["Regret"]
    for endless in (drifting, synth.Appearing(drifting, {})):
        with pytest.raises(ValueError, match="LinearLabels is endless"):
            evaluate.regret(endless, model, reference, losses.h_loss)


@pytest.mark.parametrize("y", ["wolff", {"wolff": True}])
def test_labels_that_are_not_in_the_taxonomy(y):
    wrong = Listed(TREE, [({}, y)])
    for stream in (synth.Appearing(wrong, {}), synth.SubtreeDrift(wrong, "dog", 0)):
        with pytest.raises(UnknownLabelError, match="did you mean 'wolf'"):
            list(stream)


# --- Errors -------------------------------------------------------------------------------------


WRONG_TYPES = [
    (lambda: synth.Appearing([], {}), "with a taxonomy, .* got list"),
    (lambda: synth.Appearing(iter(LABELS), {}), "got generator"),
    (lambda: synth.SubtreeDrift(TREE, "dog", 1), "got Taxonomy"),
    (lambda: synth.Appearing(None, {}), "got NoneType"),
    (lambda: synth.SubtreeDrift(synth.PrototypeTree, "1", 1), "got ABCMeta"),
    (lambda: synth.SubtreeDrift(LABELS, "1", 1, seed=1.5), "`seed` must be an integer"),
    (lambda: synth.Appearing(LABELS, ["1.1"]), r"`appears_at` must be \{label: step\}, got list"),
    (lambda: synth.Appearing(LABELS, {"1": None}), "must be an integer, got None"),
    (lambda: synth.SubtreeDrift(LABELS, "1", None), "`drift_at` must be an integer"),
]
WRONG_VALUES = [
    (lambda: synth.Appearing(MULTILABELS, {"wolff": 3}), "taxonomy .* did you mean 'wolf'"),
    (lambda: synth.Appearing(LABELS, {"root": 3}), "must not hold the root"),
    (lambda: synth.Appearing(LABELS, {"1": -3}), r"`appears_at\['1'\]` must be at least 0, got -3"),
    (lambda: synth.Appearing(Listed(DAG, [({}, "f")]), {"f": 1}), "node 'd' has 2 parents"),
    (lambda: synth.SubtreeDrift(LABELS, "3", 1), "label '3' is not in"),
    (lambda: synth.SubtreeDrift(LABELS, "1.1.1", 1), "'1.1.1', but no two siblings are below it"),
    (lambda: synth.SubtreeDrift(MULTILABELS, "bird", 1), "no two siblings"),
    (lambda: synth.SubtreeDrift(LABELS, "1", 1, 0), "`drift_width` must be at least 1, got 0"),
    (lambda: synth.SubtreeDrift(LABELS, "1", 1, seed=-1), "`seed` must be at"),
    (lambda: synth.SubtreeDrift(LABELS, "1", -1), "`drift_at` must be at least 0"),
]


def test_wrong_parameters():
    for error, wrong in (TypeError, WRONG_TYPES), (ValueError, WRONG_VALUES):
        for make, message in wrong:
            with pytest.raises(error, match=message):
                make()
