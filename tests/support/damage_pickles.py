"""Damage pickles in every way that comes to mind, open them, and use what opens.

    python tests/support/damage_pickles.py [EVERY]

A process of its own, because what it looks for would end it. Each way is printed before it is
tried, so the last line tells what went wrong. What cannot be right is refused with a ValueError.
With EVERY, only one way in so many is tried.
"""

import itertools
import math
import pickle
import random
import resource
import sys

import numpy as np

import river_hier._core as k
from river_hier import Taxonomy, forest, linear_model
from river_hier._core.pickles import VERSION, restore

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
X = {"x": 1.0, "y": -0.5, "z": 0.25, ("t", 1): 2.0}


def states():
    """A title, a type of the core, and the state of an object: of every kind."""
    rng = np.random.default_rng(0)
    for name, model, y in (
        ("perceptron", linear_model.HPerceptron(TREE), ["b"]),
        ("harow", linear_model.HAROW(TREE, dtype="float32"), ["b"]),
        ("average", linear_model.AveragedHieron(TREE), "b"),
        ("softmax", linear_model.PathSoftmax(TREE), "b"),
    ):
        for i in range(5):
            model.learn_one({**X, i: 1.0}, "c" if i % 2 and isinstance(y, str) else y)
        yield name, "LinearState", model._state.saved()
    index = k.FeatureIndex()
    index.insert(X)
    for thing in (index, k.Labels(TREE, [2], True), k.Calibration(4)):
        yield type(thing).__name__, type(thing).__name__, thing.saved()
    trees = forest.MultilabelExtraTrees(TREE, n_trees=2, budget=6)
    for i in range(8):
        trees.learn_one({**X, "x": rng.normal()}, "bc"[i % 2])
    yield "forest", "Forest", trees._forest.saved()
    for wide, budget in [(30, None), (4, 6), (30, 3)]:  # dual, primal and with w0
        rls = linear_model.SHRLS(TREE, 1e6, budget=budget)
        for _ in range(9):
            x = {int(j): float(rng.normal()) for j in rng.choice(wide, 4, replace=False)}
            rls.learn_one(x, "b")
        yield f"rls {wide} {budget}", "LeastSquares", rls._rls.saved()


def others(value):
    """What might stand in the place of a value."""
    if isinstance(value, np.ndarray):
        flat = value.ravel()
        for dtype in ("int64", "uint64", "float32", "float64", "uint32", "object", "bool", "U3"):
            yield f"as {dtype}", value.astype(dtype)
        yield "as a list", value.tolist()
        yield "twice as deep", np.stack([value, value], axis=-1)
        yield "flat", np.concatenate([flat, flat])
        yield "one less", value[:-1]
        yield "one more", np.concatenate([value, value[-1:]])
        yield "backwards", np.ascontiguousarray(value[::-1])
        yield "transposed", value.T
        yield "strided", np.repeat(value, 2, axis=0)[::2]
        yield "empty", value[:0]
        yield "swapped bytes", value.astype(value.dtype.newbyteorder())
        powers = [2**31 - 1, *(2**k for k in (20, 31, 40)), *(2**k - 1 for k in (32, 63, 64))]
        numbers = [0, 1, 2, 7, 1000, *powers]
        numbers += [-1, -5, -(2**63), np.nan, np.inf, 1e300, -1e300]
        for number in numbers:
            for at in {0, len(flat) // 2, len(flat) - 1} if len(flat) else ():
                for dtype in (value.dtype, np.dtype("int64")):
                    with np.errstate(all="ignore"):
                        try:
                            changed = value.astype(dtype).copy()
                            changed.ravel()[at] = number
                        except (OverflowError, ValueError):
                            continue
                    yield f"[{at}] = {number} of {dtype}", changed
        return
    for other in (None, "text", -1, 0, 3, 2**31, 2**40, 2**70, 1.5, float("nan"), (), [], {}, True):
        yield repr(other), other
    yield "an array", np.zeros(3)
    yield "an empty object array", np.zeros((0, 2), dtype=object)
    if isinstance(value, list | tuple):
        yield "one less", value[:-1]
        yield "one more", value + value[-1:]
        yield "twice", value + value


def damage(value):
    """The value with one thing changed anywhere within."""
    yield from others(value)
    if isinstance(value, list | tuple):
        for i, part in enumerate(value):
            for what, changed in damage(part):
                yield f"{i}: {what}", type(value)([*value[:i], changed, *value[i + 1 :]])


# Learners, labels for them, and their parameters.
POLICIES = [
    ("HPerceptron", ["b"], None),
    ("HAROW", ["b"], (1.0, 0.9)),
    ("Hieron", 3, math.inf),
    ("AveragedHieron", 3, 1.0),
    ("PathSoftmax", 3, (1.0, 0.9)),
    ("HMinOver", ["b"], (1.0, np.ones(4), None, np.eye(3), np.zeros(3))),
    ("HPerceptron", ["c"], None),
]


def use(thing):
    """Everything that a learner does with it; Python's errors are all right, a crash is not."""
    names, labels, rng = k.FeatureIndex(), k.Labels(TREE), np.random.default_rng(0)
    names.insert(X)
    calls = []
    if isinstance(thing, k.LeastSquares):
        calls += [lambda: thing.solve(k.Example(names.find(X)), 4), lambda: thing.sizes]
        calls += [lambda s=s: thing.weights(s, 40) for s in range(4)]
        for i in range(6):
            x = {**X, f"n{i}": 1.0, i: 0.5}
            calls += [lambda x=x: thing.learn(names, labels, x, ["b"], 1.0, 1e6)]
            calls += [lambda x=x: thing.nodes_on(labels, k.Example(names.find(x)))]
            calls += [lambda x=x: thing.learn(names, labels, x, ["c"], 1.0, math.inf)]
        calls += [lambda: thing.add_outputs(0, [1]), lambda: thing.add_system([2])]
    elif isinstance(thing, k.LinearState):
        asked = [lambda a=a: thing.scores(X, a) for a in (False, True)]
        for answer in ("path_scores", "top_down"):
            asked += [lambda n=answer, a=a: getattr(thing, n)(X, a) for a in (False, True)]
        asked += [lambda a=a: thing.best_path(X, a, 0) for a in (False, True)]
        asked += [lambda: thing.column(1), lambda: thing.forget(np.array([1], dtype=np.uint32))]
        asked += [lambda: thing.column(1, True), lambda: thing.column(8)]
        asked += [lambda: thing.variances(thing.find(X), np.array([1, 2]))]
        calls += asked
        for name, y, parameters in POLICIES:
            calls += [
                lambda name=name, y=y, parameters=parameters: k.policies[name].learn_one(
                    thing, X, y, 1.0, parameters
                )
            ]
        calls += [*asked, lambda: thing.add_nodes(9), lambda: thing.add_nodes(2), *asked]
    elif isinstance(thing, k.FeatureIndex):
        calls += [lambda: thing.insert(X), lambda: thing.find(X), lambda: thing.row("x")]
        calls += [lambda: thing.names() if len(thing) < 10**6 else None]
    elif isinstance(thing, k.Labels):
        calls += [lambda: thing.closure("b"), lambda: thing.closure({"a": True})]
        calls += [lambda: thing.learned(np.array([1, 3], dtype=np.uint32))]
        calls += [lambda: thing.dictionary([1]), lambda: thing.marginals(np.ones(4))]
    elif isinstance(thing, k.Forest):
        x, w = np.ones((1, thing.d)), np.ones(1)
        on = np.array([0, 1, 2], dtype=np.uint32)
        calls += [lambda: thing.shares(x, 4, False), lambda: thing.shares(-x, 4, True)]
        calls += [lambda: thing.examples()]
        calls += 8 * [lambda: thing.learn(x * rng.normal(), np.array([0, 3]), on, w)]
        calls += [lambda: thing.widen(np.arange(9, dtype=np.uint32))]
        calls += [lambda: thing.shares(np.ones((1, 9)), 4, False)]
    elif isinstance(thing, k.Calibration):
        calls += [lambda: thing.given(np.ones(4)), lambda: thing.given(np.ones(3))]
        calls += [lambda: thing.learn(np.ones(4), ["b"], labels, 1.0)]
    for call in [*calls, lambda: pickle.loads(pickle.dumps(thing))]:
        try:
            call()
        except Exception:
            continue


def strangers():
    """Objects of different sizes, put together."""
    for n_planes in (1, 2):
        for scoring in ("paths", "softmax", "decisions"):
            use(k.LinearState(k.Labels(TREE), [], 0.0, "float64", n_planes, scoring))
    for nodes in ([], [1, 2], [3, 7], [2**31 - 1], [0], [1, 1]):
        rls = k.LeastSquares(1.0)
        rls.add_system(nodes)
        use(rls)
    for y in (4, 2**31, 2**32 - 1, -1):
        state = k.LinearState(k.Labels(TREE), [], 0.0, "float64", 2)
        for name, _, parameters in POLICIES:
            try:
                k.policies[name].learn_one(state, X, y, 1.0, parameters)
            except Exception:
                continue


def main():
    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
    rng = random.Random(0)
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    n = refused = 0
    print("strangers", flush=True)
    strangers()
    for title, kind, state in states():
        use(restore(kind, VERSION, *state))
        for what, changed in itertools.islice(damage(state), 0, None, every):
            if not isinstance(changed, tuple | list):
                continue  # a pickle of other code
            print(f"{title}: {what}"[:150], flush=True)
            n += 1
            try:
                thing = restore(kind, VERSION, *changed)
            except ValueError:
                refused += 1
            except MemoryError:
                continue
            else:
                use(thing)
        whole = pickle.dumps(restore(kind, VERSION, *state))
        for _ in range(60):
            print(f"{title}: torn bytes", flush=True)
            try:
                use(pickle.loads(whole[: rng.randrange(len(whole))]))
            except (EOFError, pickle.UnpicklingError, ValueError, TypeError):
                continue
    print(f"{n} ways, {refused} refused: all right")


if __name__ == "__main__":
    main()
