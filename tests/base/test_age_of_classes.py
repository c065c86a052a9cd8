"""A class is learned after about as few examples if it appears late in the stream."""

import sys
from itertools import islice
from typing import Any

import pytest

from river_hier import decision, linear_model
from river_hier.datasets import synth
from support.makers import FORGET, TABLE, one, several, that

FORGETS = "it remembers about 100 examples of each node, in which the class is off"
MODELS: dict[str, Any] = {name: TABLE[name] for name in that("taxonomy", "answers")} | {
    "TreeBayes(PathSoftmax)": one(
        lambda t: decision.TreeBayes(linear_model.PathSoftmax(t), t), FORGET
    ),
    "HLossBayes(HPerceptron)": several(
        lambda t: decision.HLossBayes(decision.Calibrated(linear_model.HPerceptron(t)))
    ),
    **{
        f"{cls.__name__}(forgetting=0.99)": several(
            lambda t, cls=cls: cls(t, forgetting=0.99), late=FORGETS
        )
        for cls in (linear_model.HRLS, linear_model.SHRLS)
    },
}
# With kernels, the same systems take minutes.
LATE_ONES = [v for v, row in MODELS.items() if row.late and not v.startswith("kernel")]
CHECKS = (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448, 640)


def examples_needed(name: str, at: int, seed: int, before: str = "parent") -> int:
    """The number of examples of a leaf that appears at a step, until 85 of 100 others are found.

    Before the step, they have the label of the "parent", or are "absent"; or the leaf is "unknown"
    and adopted at the step; or it is "learned" and forgotten at the step.
    """
    whole = synth.PrototypeTree(branching=3, depth=3, noise=0.04, seed=seed)
    taxonomy, leaf = whole.taxonomy, whole.taxonomy.leaves[0]
    held_out = list(islice((x for x, y in whole if y == leaf), 100))
    others = [label for label in taxonomy.nodes if label != leaf]
    model, n = MODELS[name](taxonomy.subset(others) if before == "unknown" else taxonomy), 0

    def found(x: Any) -> bool:
        y = model.predict_one(x)
        return bool(y[leaf] if MODELS[name].several else y == leaf)

    stream = whole if before == "learned" else synth.Appearing(whole, {leaf: at})
    for step, ((x, y), (_, truth)) in enumerate(zip(stream, whole, strict=False)):
        if step == at and before == "unknown":
            model.adopt(taxonomy)
        if step == at and before == "learned":
            model.forget(leaf)
        if before != "absent" or truth != leaf or step >= at:
            model.learn_one(x, MODELS[name].y(y))
        if y == leaf and step >= at:
            n += 1
            if n in CHECKS and sum(map(found, held_out)) >= 85:
                return n
            if n == CHECKS[-1]:
                break
    return sys.maxsize


LATE = 1500
FEW = 28  # without a clock for each node, an average needs hundreds


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("before", ["parent", "absent", "unknown", "learned"])
@pytest.mark.parametrize("name", [name for name in MODELS if not MODELS[name].late])
def test_late_classes_are_learned_as_fast_as_early_ones(name: str, before: str) -> None:
    if before == "learned" and "forget" in MODELS[name].refuses:
        pytest.skip("it cannot forget a node")
    needed = examples_needed(name, LATE, 1, before)
    assert needed <= FEW or needed <= 2 * examples_needed(name, 0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", LATE_ONES)
def test_the_exceptions_are_exceptions(name: str) -> None:
    assert examples_needed(name, 0, 1) <= FEW < examples_needed(name, LATE, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
def test_forgetting_limits_the_effect_of_age(name: str) -> None:
    early, late = (
        examples_needed(f"{name}(forgetting=0.99)", at, 1, "absent") for at in (LATE, 3 * LATE)
    )
    assert late <= early <= FEW
