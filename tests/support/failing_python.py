"""Each allocation of Python objects in a step fails once, in a process of its own: what is learned?

    python -m support.failing_python kernel.Hieron

It prints `{outcome: number of allocations}`, without those at which Python or nanobind ends the
process.
"""

from __future__ import annotations

import _testcapi
import json
import os
import pickle
import random
import sys
from typing import Any

import numpy as np

from support.public_api import dense, estimators

ENOUGH = 40  # so many steps without an error: the step makes no more allocations


def answers(model: Any, xs: list[Any]) -> list[float]:
    """The probabilities of all labels or, without any, the scores."""
    try:
        found = [model.predict_proba_one(x) for x in xs]
    except NotImplementedError:
        found = [model.score_one(x) for x in xs]
    values = [p for one in found for p in one.values()]
    return [float(p[True] if isinstance(p, dict) else p) for p in values]


def now_and_later(model: Any, xs: list[Any], after: list[Any]) -> list[float]:
    now = answers(model, xs)
    for example in after:
        model.learn_one(*example)
    return now + answers(model, xs)


def near(a: list[float], b: list[float]) -> bool:
    return len(a) == len(b) and bool(np.allclose(a, b, rtol=1e-9, atol=1e-12))


def outcome(model: Any, k: int, example: Any, xs: list[Any], after: Any, states: Any) -> str:
    """Let allocation k fail: is the model as it was, or as after the step, now and later?"""
    _testcapi.set_nomemory(k, k + 1)
    error = None
    try:
        model.learn_one(*example)
    except BaseException as raised:  # numpy raises all sorts of errors here
        error = raised
    finally:
        _testcapi.remove_mem_hooks()
    learned = 1 if error is None else getattr(error, "n_learned", 0)
    if not near(now_and_later(model, xs, after), states[learned]):
        return f"wrong, with n_learned = {learned}: {error!r}"
    return "no error" if error is None else f"n_learned = {learned}"


def main(name: str) -> None:
    rng, model = random.Random(3), estimators()[name]
    examples = [dense(model, rng) for _ in range(60)]
    for example in examples[:25]:
        model.learn_one(*example)
    before, after, xs = pickle.dumps(model), examples[25:28], [x for x, _ in examples[28:32]]
    as_it_was = now_and_later(pickle.loads(before), xs, after)
    for x, y in examples[32:]:  # until one teaches it something, here by a wrong label
        example = x, next(other for _, other in examples if other != y)
        copy = pickle.loads(before)
        copy.learn_one(*example)
        if not near(as_it_was, as_learned := now_and_later(copy, xs, after)):
            break
    found: dict[str, int] = {}
    k, quiet = 0, 0
    while quiet < ENOUGH:
        k += 1
        reader, writer = os.pipe()
        if not (child := os.fork()):
            copy = pickle.loads(before)
            answers(copy, xs)
            said = outcome(copy, k, example, xs, after, (as_it_was, as_learned))
            os.write(writer, said.encode()[:1000])
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            said = pipe.read()
        if os.waitpid(child, 0)[1] == 0:
            found[said] = found.get(said, 0) + 1
        quiet = quiet + 1 if said == "no error" else 0
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
