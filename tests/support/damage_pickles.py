"""Damage pickles in every way that comes to mind, open them, and use what opens.

    RIVER_HIER_PURE=0 python tests/support/damage_pickles.py [EVERY]

A process of its own, because what it looks for would end it. Each way is printed before it is
tried, so the last line tells what went wrong. What cannot be right is refused with a ValueError.
With EVERY, only one way in so many is tried.
"""

from __future__ import annotations

import itertools
import math
import pickle
import random
import resource
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import river_hier._core as k
from river_hier import Taxonomy, linear_model

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
X = {"x": 1.0, "y": -0.5, "z": 0.25, ("t", 1): 2.0}


def states() -> Iterator[tuple[str, Any]]:
    """The `__reduce__` arguments of kernel objects of every kind."""
    rng = np.random.default_rng(0)
    for cls in (linear_model.HPerceptron, linear_model.HAROW):
        model = cls(TREE, dtype="float32" if cls is linear_model.HAROW else "float64")
        for _ in range(5):
            model.learn_one(X, TREE.nodes[int(rng.integers(1, 4))])
        yield cls.__name__, model._w.__reduce__()[1]
    yield "features", model._features.__reduce__()[1]
    yield "labels", model._labels.__reduce__()[1]
    yield "hashed", k.FeatureHasher(8).__reduce__()[1]
    for wide, budget in [(30, None), (4, 6), (30, 3)]:  # dual, primal and with w0
        rls = linear_model.SHRLS(TREE, 1e6, budget=budget)
        for _ in range(9):
            x = {int(j): float(rng.normal()) for j in rng.choice(wide, 4, replace=False)}
            rls.learn_one(x, "b")
        yield f"rls {wide} {budget}", rls._rls.__reduce__()[1]


def others(value: Any) -> Iterator[tuple[str, Any]]:
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
        numbers: list[Any] = [
            0,
            1,
            2,
            7,
            1000,
            2**20,
            2**31 - 1,
            2**31,
            2**32 - 1,
            2**40,
            2**63 - 1,
            2**64 - 1,
        ]
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


def damage(value: Any) -> Iterator[tuple[str, Any]]:
    """The value with one thing changed anywhere within."""
    yield from others(value)
    if isinstance(value, list | tuple):
        for i, part in enumerate(value):
            for what, changed in damage(part):
                yield f"{i}: {what}", type(value)([*value[:i], changed, *value[i + 1 :]])


# Learners, labels for them, and their parameters.
LEARNERS: list[tuple[str, Any, Any]] = [
    ("HPerceptron", ["b"], None),
    ("HAROW", ["b"], (1.0, 0.9)),
    ("Hieron", 3, math.inf),
    ("AveragedHieron", 3, 1.0),
    ("HPerceptron", ["c"], None),
    ("HAROW", ["c"], (1.0, 1.0)),
]


def use(thing: Any) -> None:
    """Everything that a learner does with it; Python's errors are all right, a crash is not."""
    names, labels = k.FeatureIndex(), k.Labels(TREE)
    names.insert(X)
    calls: list[Any] = []
    if isinstance(thing, k.LeastSquares):
        calls += [lambda: thing.solve(k.Example(names.find(X)), 4), lambda: thing.sizes]
        calls += [lambda s=s: thing.weights(s, 40) for s in range(4)]
        for i in range(6):
            x = {**X, f"n{i}": 1.0, i: 0.5}
            calls += [lambda x=x: thing.learn(names, labels, x, ["b"], 1.0, 1e6)]
            calls += [lambda x=x: thing.nodes_on(labels, k.Example(names.find(x)))]
            calls += [lambda x=x: thing.learn(names, labels, x, ["c"], 1.0, math.inf)]
        calls += [lambda: thing.add_outputs(0, [1]), lambda: thing.add_system([2])]
    elif isinstance(thing, k.Weights):
        calls += [lambda: thing.scores(names.find(X)), lambda: thing.column(1, 10)]
        pairs = [
            (k.Weights(4), thing),
            (thing, k.Weights(4)),
            (thing, k.Weights(2)),
            (thing, thing),
        ]
        for w, lag in [(thing, None), *pairs]:
            for name, y, parameters in LEARNERS:
                calls += [
                    lambda w=w, lag=lag, name=name, y=y, parameters=parameters: k.policies[
                        name
                    ].learn_one(w, lag, 1, names, labels, X, y, 1.0, parameters)
                ]
            for answer in k.path_answer, k.top_down_nodes:
                calls += [lambda a=answer, w=w, lag=lag: a(w, lag, 1, names, labels, X)]
        calls += [lambda n=n: thing.record(k.Weights(n), 1) for n in (4, 2)]
        calls += [lambda: thing.n_bytes, lambda: thing.add_nodes(9), lambda: thing.column(8, 3)]
    elif isinstance(thing, k.FeatureIndex | k.FeatureHasher):
        calls += [lambda: thing.insert(X), lambda: thing.find(X), lambda: thing.row("x")]
        calls += [lambda: thing.names() if len(thing) < 10**6 else None]
    elif isinstance(thing, k.Labels):
        calls += [lambda: thing.closed("b"), lambda: thing.closed({"a": True})]
        calls += [lambda: k.top_down_nodes(k.Weights(4), None, 0, names, thing, X)]
    for call in [*calls, lambda: pickle.loads(pickle.dumps(thing))]:
        try:
            call()
        except Exception:
            continue


def strangers() -> None:
    """Kernels of different sizes, put together."""
    labels, names = k.Labels(TREE), k.FeatureIndex()
    for n in (1, 2, 3):
        use(k.Weights(n))
    for nodes in ([], [1, 2], [3, 7], [2**31 - 1], [0], [1, 1]):
        rls = k.LeastSquares(1.0)
        rls.add_system(nodes)
        use(rls)
    for y in (4, 2**31, 2**32 - 1, -1):
        w, lag = k.Weights(4), k.Weights(4)
        for name in ("Hieron", "AveragedHieron"):
            try:
                k.policies[name].learn_one(w, lag, 1, names, labels, X, y, 1.0, math.inf)
            except Exception:
                continue


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
    restore = k.FeatureIndex().__reduce__()[0]
    rng = random.Random(0)
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    n = refused = 0
    print("strangers", flush=True)
    strangers()
    for title, state in states():
        use(restore(*state))
        for what, changed in itertools.islice(damage(state), 0, None, every):
            print(f"{title}: {what}"[:150], flush=True)
            n += 1
            try:
                thing = restore(*changed) if isinstance(changed, tuple) else restore(changed)
            except ValueError:
                refused += 1
                continue
            except MemoryError:
                continue
            except TypeError:
                if len(changed) < 2 if isinstance(changed, tuple | list) else True:
                    continue  # not even a kind and a version
                raise
            use(thing)
        whole = pickle.dumps(restore(*state))
        for _ in range(60):
            print(f"{title}: torn bytes", flush=True)
            try:
                use(pickle.loads(whole[: rng.randrange(len(whole))]))
            except (EOFError, pickle.UnpicklingError, ValueError, TypeError):
                continue
    print(f"{n} ways, {refused} refused: {k.name} is all right")


if __name__ == "__main__":
    main()
