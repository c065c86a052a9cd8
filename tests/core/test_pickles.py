"""Pickles: from one backend into the other, to the last bit, and never a crash."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from river_hier import Taxonomy, linear_model
from river_hier.linear_model.systems import merge_systems
from support.backends import (
    BACKENDS,
    both,
    environment,
    kinds,
    namespace,
    native_only,
    native_too,
    running_on,
)
from support.both_backends import MULTI, SINGLE, Key
from support.both_backends import NAMES as WORDS
from support.paths import TESTS

DAMAGED = TESTS / "support" / "damage_pickles.py"
TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c"), ("a", ("d", 1))])
WIDE = Taxonomy([("r", f"n{v}") for v in range(90)] + [(f"n{v}", f"m{v}") for v in range(90)])
LEARNERS: dict[str, tuple[str, dict[str, Any], int]] = {  # class, parameters, features
    **{name: (name, {}, 40) for name in SINGLE + MULTI if not name.endswith("RLS")},
    "AveragedHieron with small steps": ("AveragedHieron", {"C": 0.125}, 40),
    "HPerceptron in single precision": ("HPerceptron", {"dtype": "float32"}, 40),
    "HAROW": ("HAROW", {"r": 0.5}, 40),
    "compact HAROW": ("HAROW", {"dtype": "float16"}, 40),
    "hashed HAROW": ("HAROW", {"n_features": 32}, 40),
    "HRLS with factors": ("HRLS", {}, 300),
    "HRLS in primal variables": ("HRLS", {}, 9),
    "SHRLS with factors": ("SHRLS", {}, 300),
    "SHRLS in primal variables": ("SHRLS", {"threshold": 1e6}, 9),
    "SHRLS with a budget": ("SHRLS", {"threshold": 1e6, "budget": 7}, 300),
}
learners = pytest.mark.parametrize("which", LEARNERS)
Example = tuple[dict[Any, float], Any]


def built(which: str, taxonomy: Taxonomy | None = TREE) -> Any:
    name, parameters, _ = LEARNERS[which]
    return getattr(linear_model, name)(taxonomy, **parameters)


def examples(which: str, n: int, taxonomy: Taxonomy = TREE, exact: bool = False) -> list[Example]:
    """Halves, of which sums are exact, or generic numbers."""
    _, _, n_features = LEARNERS[which]
    rng = np.random.default_rng(n_features)
    stream = []
    for _ in range(n):
        names = rng.choice(n_features, 6, replace=False).tolist()
        values = rng.integers(-4, 5, 6) / 2 if exact else rng.normal(size=6)
        x = {f"feature {j}": float(v) for j, v in zip(names, values, strict=True)}
        stream.append((x, taxonomy.nodes[int(rng.integers(1, len(taxonomy)))]))
    return stream


@native_only
@pytest.mark.parametrize("taxonomy", [TREE, WIDE], ids=["small", "large"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_both_cores_write_the_same_bytes(taxonomy: Taxonomy, dtype: str) -> None:
    stream = examples("HPerceptron", 60, taxonomy, exact=True)
    odd = {name: 0.5 for name in WORDS if not isinstance(name, Key)}
    written = []
    for backend in BACKENDS:
        with running_on(backend):
            model = linear_model.HPerceptron(taxonomy, dtype=dtype)
            for x, y in [*stream, (odd, "n1" if taxonomy is WIDE else "b")]:
                model.learn_one(x, y)
            uncertain = linear_model.HAROW(taxonomy, r=1.5, dtype=dtype)
            for j in range(4):  # x^T S x + r is a power of 2
                uncertain.learn_one({j: 0.5, j + 4: 0.5}, taxonomy.nodes[1 + j])
            parts = (model._features, model._labels, model._w, namespace(backend).FeatureHasher(64))
            parts += (uncertain._w,)
            written.append([pickle.dumps(part) for part in parts])
            written[-1] += [pickle.dumps(part, protocol=2) for part in parts]
    assert written[0] == written[1]


@native_only
@learners
def test_both_cores_write_the_same_state(which: str) -> None:
    saved = []
    for backend in BACKENDS:
        with running_on(backend):
            model = built(which)
            for x, y in examples(which, 40):
                model.learn_one(x, y)
                model.predict_one(x)
            saved.append(state(model))
    alike(*saved, near=1e-9)


def state(model: Any) -> list[Any]:
    """What a model has learned; of instances, those that some system uses."""
    parts = [getattr(model, part, None) for part in ("_features", "_w", "_lag")]
    if (rls := getattr(model, "_rls", None)) is not None:
        parts.append(merge_systems([rls], [0] * len(rls.n_stored)))
    return [part.__reduce__()[1] for part in parts if part is not None]


def alike(ours: Any, theirs: Any, near: float) -> None:
    """Nested tuples of arrays, equal in kind and shape, and near; 0 is to the last bit."""
    assert type(ours) is type(theirs)
    if isinstance(ours, list | tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            alike(one, other, near)
    elif isinstance(ours, np.ndarray):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        assert ours.flags.c_contiguous
        assert theirs.flags.c_contiguous
        if near == 0.0:
            assert ours.tobytes() == theirs.tobytes()
        elif ours.dtype.kind == "f":
            rtol = 1e-5 if ours.dtype == np.float32 else near
            np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=near)
        else:
            np.testing.assert_array_equal(ours, theirs)
    else:
        assert ours == theirs


OPEN = """
import pickle, sys
from river_hier import _core
model, x, y = pickle.load(sys.stdin.buffer)
assert type(model._features).__module__.startswith(
    {"numpy": "river_hier._core", "native": "river_hier._native"}[_core.name]
)
model.learn_one(x, y)
data = _core.name, model.predict_one(x), model.score_one(x), model.weights, model
sys.stdout.buffer.write(pickle.dumps(data))
"""


@pytest.mark.slow(but=5)
@learners
@pytest.mark.parametrize(
    ("here", "there"),
    [pytest.param("numpy", "native", marks=native_too.marks)]
    + [pytest.param("native", backend, marks=native_too.marks) for backend in ("numpy", "native")],
)
def test_another_process_goes_on(which: str, here: str, there: str) -> None:
    if which not in ("HPerceptron", "hashed HAROW", "SHRLS in primal variables") and (
        here == there or "HRLS" not in which
    ):
        pytest.skip("the same as others: a process takes a second")
    *stream, (x, y) = examples(which, 40)
    with running_on(here):
        model = built(which)
        for example in stream:
            model.learn_one(*example)
        model.learn_one({(1, "odd"): 0.5, "é": 1.0, 7: -1.0}, "b")
        data = pickle.dumps((model, x, y))
        found = subprocess.run(
            [sys.executable, "-c", OPEN], input=data, env=environment(there), capture_output=True
        )
        assert found.returncode == 0, found.stderr.decode()
        model.learn_one(x, y)
        backend, answer, scores, weights, again = pickle.loads(found.stdout)
        assert backend == there
        assert answer == model.predict_one(x)
        assert scores == pytest.approx(model.score_one(x), abs=1e-9)
        for label, w in model.weights.items():
            assert weights[label] == pytest.approx(w, abs=1e-9)
            assert again.weights[label] == pytest.approx(w, abs=1e-9)


@pytest.mark.slow(but=7)
@both
@learners
@pytest.mark.parametrize("taxonomy", [TREE, None], ids=["closed", "open"])
def test_a_model_goes_on_to_the_last_bit(backend: str, which: str, taxonomy: Any) -> None:
    stream = examples(which, 110)
    with running_on(backend):
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
            alike(state(model), state(ours), 0.0)
        if "RLS" in which:
            assert set(kinds(ours._rls)) == {"primal" if "primal" in which else "dual"}


@pytest.mark.slow(but=4)
@both
@learners
def test_labels_that_come_late_change_no_bit(backend: str, which: str) -> None:
    """What is kept besides a pickle, and made again from it, must come out the same."""
    with running_on(backend):
        ours, theirs = built(which, None), built(which, None)
        for step, (x, y) in enumerate(examples(which, 60, TREE)):
            y = f"{y} {step // 4}"  # ever new ones
            exact = "Softmax" not in which  # the last bit of its scores depends on the layout
            expected = ours.score_one(x)
            assert theirs.score_one(x) == (
                expected if exact else pytest.approx(expected, rel=1e-12)
            )
            for model in (ours, theirs):
                model.learn_one(x, y if "Hieron" in which or "Softmax" in which else {y})
            if step % 5 == 0:
                theirs = pickle.loads(pickle.dumps(theirs))
        if exact:
            assert theirs.weights == ours.weights
        else:
            assert flat(theirs.weights) == pytest.approx(flat(ours.weights), rel=1e-12)


def flat(weights: dict[Any, dict[Any, float]]) -> dict[Any, float]:
    return {(label, name): w for label, own in weights.items() for name, w in own.items()}


@both
@learners
def test_copies_and_clones_go_their_own_way(backend: str, which: str) -> None:
    stream = examples(which, 20)
    with running_on(backend):
        model = built(which)
        for x, y in stream:
            model.learn_one(x, y)
        before = pickle.dumps(model)
        for other in (copy.deepcopy(model), pickle.loads(before), model.clone()):
            assert other._get_params() == model._get_params()
            for x, y in stream[:5]:
                other.learn_one({**x, "new": 1.0}, y)
            assert pickle.dumps(model) == before
        fresh = model.clone()
        assert type(fresh) is type(model)
        assert not any(fresh.weights.values())


@both
def test_another_version_is_told_from_damage(backend: str) -> None:
    with running_on(backend) as k:
        objects = (k.FeatureIndex(), k.Weights(3), k.FeatureHasher(4))
        objects += (k.GaussianWeights(3),)
        for thing in (*objects, k.Labels(TREE)):
            restore, (kind, version, *state) = thing.__reduce__()
            assert version == 2
            for other in (1, 3):
                message = rf"holds a {kind} of format {other}, .* reads format 2"
                with pytest.raises(ValueError, match=message):
                    restore(kind, other, *state)
            with pytest.raises(ValueError, match=f"this pickle of a {kind} is damaged"):
                restore(kind, 2, *state, None)
            with pytest.raises(ValueError, match=f"this pickle of a {kind} is damaged"):
                restore(kind, 2, *[object() for _ in state])
        with pytest.raises(ValueError, match="this pickle of a Unheard is damaged"):
            restore("Unheard", 2)


@both
@pytest.mark.parametrize("names", [["a", "a"], [1, True], ["a", ["b"]], "ab", None, 3])
def test_features_that_cannot_be(backend: str, names: Any) -> None:
    with running_on(backend) as k:
        restore, _ = k.FeatureIndex().__reduce__()
        with pytest.raises(ValueError, match="this pickle of a FeatureIndex is damaged"):
            restore("FeatureIndex", 2, names)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="memory is limited by setrlimit")
@both
def test_damage_is_refused_or_harmless(backend: str) -> None:
    """In a process of its own: it would have been a crash once."""
    namespace(backend)
    command = [sys.executable, "-W", "ignore", str(DAMAGED), "1" if backend == "native" else "9"]
    found = subprocess.run(command, env=environment(backend), capture_output=True, text=True)
    last = found.stdout.splitlines()[-1]
    assert found.returncode == 0, f"{last}\n{found.stderr[-2000:]}"
    assert last.endswith(f"{backend} is all right")
