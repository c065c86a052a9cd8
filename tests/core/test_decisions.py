"""What calibration, decoders and losses compute, in both backends."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy
from river_hier._core import labels_of
from river_hier._core.pickles import state
from river_hier.taxonomy.multilabel import closure_nodes, predicted_nodes
from support.backends import both, namespace, native_only, running_on
from support.strategies import multilabels, taxonomies, trees

chances = st.floats(0.0, 1.0)
scores_of_nodes = st.floats(-1e3, 1e3)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Taxonomy, list[tuple[np.ndarray[Any, Any], Any, float]]]:
    """A taxonomy, and scores of its nodes, some of them missing, with a multilabel and a weight."""
    t = draw(taxonomies())
    scores = st.lists(scores_of_nodes | st.just(np.nan), min_size=len(t), max_size=len(t))
    example = st.tuples(scores.map(np.array), multilabels(t), st.sampled_from([1.0, 0.5, 3.0]))
    return t, draw(st.lists(example, min_size=1, max_size=8))


@native_only
@given(labelled())
def test_both_backends_calibrate_alike(stream: Any) -> None:
    t, examples = stream
    made = {}
    for backend in ("numpy", "native"):
        with running_on(backend) as kernels:
            calibration = kernels.Calibration(len(t))
            for scores, y, w in examples:
                calibration.learn(scores, y, labels_of(t), w)
            made[backend] = calibration
    rows = np.array([np.nan_to_num(scores, nan=-np.inf) for scores, _, _ in examples])
    expected = made["numpy"].given(rows)
    assert made["native"].given(rows) == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert made["native"].given(rows[0]) == pytest.approx(expected[0], rel=1e-9, abs=1e-300)
    for ours, theirs in zip(state(made["numpy"]), state(made["native"]), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    for backend, other in (("numpy", "native"), ("native", "numpy")):
        with running_on(other):  # a pickle of one backend opens in the other one
            loaded = pickle.loads(pickle.dumps(made[backend]))
        for before, after in zip(state(made[backend]), state(loaded), strict=True):
            np.testing.assert_array_equal(before, after)


@both
def test_a_damaged_pickle_of_a_calibration_is_refused(backend: str) -> None:
    with running_on(backend) as kernels:
        restore, (kind, version, shared, own) = kernels.Calibration(3).__reduce__()
        for damaged in ((shared[:5], own), (shared, own[:3])):
            with pytest.raises(ValueError, match="damaged"):
                restore(kind, version, *damaged)


@native_only
@given(trees(1 + 1, 9), st.data())
def test_both_backends_decide_alike(t: Taxonomy, data: st.DataObject) -> None:
    values = np.array(data.draw(st.lists(chances, min_size=len(t), max_size=len(t))))
    costs = np.array(data.draw(st.lists(st.floats(0.1, 10.0), min_size=len(t), max_size=len(t))))
    depth = data.draw(st.none() | st.integers(0, 3))
    found = []
    for backend in ("numpy", "native"):
        with running_on(backend) as kernels:
            labels = labels_of(t)
            p = labels.marginals(values)
            nodes = kernels.connected(labels, values, 0.5, depth)
            answer = labels.dictionary(nodes)
            assert [t.index(label) for label, on in answer.items() if on] == nodes
            assert labels.probabilities(p) == {
                t.nodes[v]: {False: 1.0 - p[v], True: p[v]} for v in range(1, len(t))
            }
            found.append(
                (
                    p.tolist(),
                    nodes,
                    kernels.least_h_loss(labels, p, costs),
                    kernels.least_h_loss(labels, p),
                    kernels.likeliest(labels, p),
                )
            )
    assert found[0] == found[1]


def outcome(read: Callable[[Any], set[int]], y: Any) -> Any:
    """The nodes of y, or the error."""
    try:
        return read(y)
    except (ValueError, TypeError, LookupError) as error:
        return type(error), str(error)


@native_only
@given(taxonomies(), st.data())
def test_the_compiled_core_reads_multilabels_like_python(t: Taxonomy, data: st.DataObject) -> None:
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
    compiled = namespace("native").Labels(t)
    assert outcome(compiled.closure, y) == outcome(partial(closure_nodes, t), y)
    assert outcome(compiled.predicted, y) == outcome(partial(predicted_nodes, t), y)


@native_only
@given(st.dictionaries(st.text(max_size=4) | st.integers() | st.floats(), st.floats() | st.text()))
def test_both_backends_hash_examples_alike(x: dict[Any, Any]) -> None:
    reference, native = namespace("numpy").digests, namespace("native").digests
    backwards = dict(reversed(x.items()))
    assert native(x) == reference(x) == reference(backwards) == native(backwards)
    numpy = {name: np.float64(v) if isinstance(v, float) else v for name, v in x.items()}
    assert native(numpy) == reference(x)


@both
def test_digests_tell_examples_apart(backend: str) -> None:
    with running_on(backend) as kernels:
        xs = [{f"w{i}": 1.0, f"w{j}": 2.0} for i in range(60) for j in range(i)]
        assert len({kernels.digests(x)[0] for x in xs}) == len(xs)
        assert len({kernels.digests({"a": i / 7})[1] for i in range(2000)}) == 2000
        assert len({kernels.digests({"a": i / 7})[0] for i in range(2000)}) == 1
        shares = [sum(kernels.digests(x)[0] % 8 == k for x in xs) / len(xs) for k in range(8)]
        assert max(shares) < 0.16, "a sample by the lowest bits would be uneven"


def test_a_taxonomy_and_its_labels_are_collected_together() -> None:
    label = type("Label", (), {})()
    t = Taxonomy.flat([label])
    assert labels_of(t) is labels_of(t)
    watched = weakref.ref(label)
    del label, t
    gc.collect()
    assert watched() is None
