"""Pickles and copies of models go on to the last bit; damaged ones are refused, never a crash."""

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from river_hier import Taxonomy, linear_model
from river_hier._core import Calibration, FeatureIndex, Labels
from river_hier._core.pickles import VERSION, restore
from support import public_api
from support.least_squares import kinds
from support.paths import TESTS
from support.processes import environment

SINGLE, MULTI = public_api.learners("linear_model")
DAMAGED = TESTS / "support" / "damage_pickles.py"
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("a", ("d", 1))])
LEARNERS = {  # class, parameters, features
    **{name: (name, {}, 40) for name in SINGLE + MULTI if not name.endswith("RLS")},
    "AveragedHieron with small steps": ("AveragedHieron", {"C": 0.125}, 40),
    "HPerceptron in single precision": ("HPerceptron", {"dtype": "float32"}, 40),
    "HAROW": ("HAROW", {"r": 0.5}, 40),
    "HRLS with factors": ("HRLS", {}, 300),
    "HRLS in primal variables": ("HRLS", {}, 9),
    "SHRLS with factors": ("SHRLS", {}, 300),
    "SHRLS in primal variables": ("SHRLS", {"threshold": 1e6}, 9),
    "SHRLS with a budget": ("SHRLS", {"threshold": 1e6, "budget": 7}, 300),
}
learners = pytest.mark.parametrize("which", LEARNERS)
Example = tuple[dict[Any, float], Any]


def built(which, taxonomy=TREE):
    name, parameters, _ = LEARNERS[which]
    return getattr(linear_model, name)(taxonomy, **parameters)


def examples(which, n, taxonomy=TREE):
    _, _, n_features = LEARNERS[which]
    rng = np.random.default_rng(n_features)
    stream = []
    for _ in range(n):
        names = rng.choice(n_features, 6, replace=False).tolist()
        x = {f"feature {j}": float(rng.normal()) for j in names}
        stream.append((x, taxonomy.nodes[int(rng.integers(1, len(taxonomy)))]))
    return stream


def state(model):
    """What a model has learned."""
    part = "_rls" if hasattr(model, "_rls") else "_state"
    return getattr(model, part).saved()


def alike(ours, theirs):
    """Nested tuples of arrays, equal in kind and shape and to the last bit."""
    assert type(ours) is type(theirs)
    if isinstance(ours, list | tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            alike(one, other)
    elif isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert ours.tobytes() == theirs.tobytes()
    elif not isinstance(ours, Labels):
        assert ours == theirs


@pytest.mark.slow(but=7)
@learners
@pytest.mark.parametrize("taxonomy", [TREE, None], ids=["closed", "open"])
def test_a_model_goes_on_to_the_last_bit(which, taxonomy):
    stream = examples(which, 110)
    ours = built(which, taxonomy)
    for step, (x, y) in enumerate(stream):
        if step in (10, 25, 40, 80):
            theirs = [pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)]
            theirs.append(pickle.loads(pickle.dumps(theirs[0])))
        if step >= 10:
            for model in theirs:
                assert model.predict_one(x) == ours.predict_one(x)
                assert model.score_one(x) == ours.score_one(x)
                model.learn_one(x, y)
        ours.learn_one(x, y)
    for model in theirs:
        alike(state(model), state(ours))
    if "RLS" in which:
        assert set(kinds(ours._rls)) == {"primal" if "primal" in which else "dual"}


@pytest.mark.slow(but=4)
@learners
def test_labels_that_come_late_change_no_bit(which):
    """What is kept besides a pickle, and made again from it, must come out the same."""
    ours, theirs = built(which, None), built(which, None)
    for step, (x, y) in enumerate(examples(which, 60, TREE)):
        y = f"{y} {step // 4}"  # ever new ones
        exact = "Softmax" not in which  # the last bit of its scores depends on the layout
        expected = ours.score_one(x)
        assert theirs.score_one(x) == (expected if exact else pytest.approx(expected, rel=1e-12))
        for model in (ours, theirs):
            model.learn_one(x, y if "Hieron" in which or "Softmax" in which else {y})
        if step % 5 == 0:
            theirs = pickle.loads(pickle.dumps(theirs))
    if exact:
        assert theirs.weights == ours.weights
    else:
        assert flat(theirs.weights) == pytest.approx(flat(ours.weights), rel=1e-12)


def flat(weights):
    return {(label, name): w for label, own in weights.items() for name, w in own.items()}


def test_a_weight_of_zero_keeps_its_variance():
    model = linear_model.HAROW(TREE, intercept=0.0)
    model.learn_one({"x": 1.0}, {"c"})  # w = 1/2, S = 1/2
    model.learn_one({"x": 1.0}, {"a"})  # w = 1/2 - 1 S
    assert not model.weights["c"].get("x", 0.0)
    opened = pickle.loads(pickle.dumps(model))
    for one in (model, opened):
        one.learn_one({"x": 1.0}, {"c"})
    assert opened.weights["c"] == model.weights["c"] == {"x": pytest.approx(0.25)}


def test_another_version_is_told_from_damage():
    model = linear_model.HAROW(TREE)
    objects = (FeatureIndex(), Labels(TREE), Calibration(3), model._state)
    for thing in (*objects, linear_model.HRLS(TREE)._rls):
        kind, state = type(thing).__name__, thing.saved()
        for other in (VERSION - 2, VERSION + 1):
            message = rf"holds a {kind} of format {other}, .* reads format {VERSION}"
            with pytest.raises(ValueError, match=message):
                restore(kind, other, *state)
        for damaged in ((*state, None), [object() for _ in state]):
            with pytest.raises(ValueError, match=f"this pickle of a {kind} is damaged"):
                restore(kind, VERSION, *damaged)
    with pytest.raises(ValueError, match="this pickle of a Unheard is damaged"):
        restore("Unheard", VERSION)


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_weights_that_cannot_be(number):
    model = linear_model.HierarchicalSoftmax(TREE)
    model.learn_one({"x": 1.0}, "c")
    state = model._state.saved()
    state[7][2][0] = number
    with pytest.raises(ValueError, match="this pickle of a LinearState is damaged"):
        restore("LinearState", VERSION, *state)


@pytest.mark.parametrize("names", [["a", "a"], [1, True], ["a", ["b"]], "ab", None, 3])
def test_features_that_cannot_be(names):
    with pytest.raises(ValueError, match="this pickle of a FeatureIndex is damaged"):
        restore("FeatureIndex", VERSION, names, 0.0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="memory is limited by setrlimit")
def test_damage_is_refused_or_harmless():
    """In a process of its own: it would have been a crash once."""
    command = [sys.executable, "-W", "ignore", str(DAMAGED)]
    found = subprocess.run(command, env=environment(), capture_output=True, text=True)
    last = found.stdout.splitlines()[-1]
    assert found.returncode == 0, f"{last}\n{found.stderr[-2000:]}"
    assert last.endswith("all right")
