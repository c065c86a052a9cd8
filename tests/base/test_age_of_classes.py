"""A class is learned after about as few examples if it appears late in the stream."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from river import linear_model as river_linear_model
from river import naive_bayes

from river_hier import decision, drift, ensemble, kernel, linear_model, local, probabilistic
from river_hier.datasets import synth
from support.public_api import learners

Make = Callable[[Any], Any]  # a model from a taxonomy

SINGLE: dict[str, Make] = {
    "Hieron": linear_model.Hieron,
    "AveragedHieron": linear_model.AveragedHieron,
    "PathSoftmax": linear_model.PathSoftmax,
    "Averaged(Hieron)": lambda t: linear_model.Averaged(linear_model.Hieron(t)),
    "LinearDiscriminant": probabilistic.LinearDiscriminant,
    "DensePool": lambda t: ensemble.DensePool(t, n_components=100),
    "NewtonSoftmax": probabilistic.NewtonSoftmax,
    "Tempered(AveragedHieron)": lambda t: decision.Tempered(linear_model.AveragedHieron(t)),
    "TreeBayes(Tempered(AveragedHieron))": lambda t: decision.TreeBayes(
        decision.Tempered(linear_model.AveragedHieron(t)), t
    ),
    "TreeBayes(PathSoftmax)": lambda t: decision.TreeBayes(linear_model.PathSoftmax(t), t),
    "TreeBayes(LinearDiscriminant)": lambda t: decision.TreeBayes(
        probabilistic.LinearDiscriminant(t), t
    ),
    "BranchReset(Hieron)": lambda t: drift.BranchReset(linear_model.Hieron(t)),
    "kernel.Hieron(budget=200)": lambda t: kernel.Hieron(t, budget=200),
    "kernel.AveragedHieron(budget=200)": lambda t: kernel.AveragedHieron(t, budget=200),
    "PerParent(GaussianNB)": lambda t: local.PerParent(naive_bayes.GaussianNB(), t),
    "PerLevel(GaussianNB)": lambda t: local.PerLevel(naive_bayes.GaussianNB(), t),
}
SEVERAL: dict[str, Make] = {
    "HPerceptron": linear_model.HPerceptron,
    "HAROW": linear_model.HAROW,
    "HMinOver": linear_model.HMinOver,
    "Averaged(HPerceptron)": lambda t: linear_model.Averaged(linear_model.HPerceptron(t)),
    "Averaged(HAROW)": lambda t: linear_model.Averaged(linear_model.HAROW(t)),
    "HLossBayes(Calibrated(HPerceptron))": lambda t: decision.HLossBayes(
        decision.Calibrated(linear_model.HPerceptron(t))
    ),
    "HLossBayes(Calibrated(HAROW))": lambda t: decision.HLossBayes(
        decision.Calibrated(linear_model.HAROW(t))
    ),
    "ZeroOneBayes(Calibrated(HAROW))": lambda t: decision.ZeroOneBayes(
        decision.Calibrated(linear_model.HAROW(t))
    ),
    "SymmetricDifferenceBayes(Calibrated(HAROW))": lambda t: decision.SymmetricDifferenceBayes(
        decision.Calibrated(linear_model.HAROW(t))
    ),
    "HRLS": linear_model.HRLS,
    "HRLS(forgetting=0.99)": lambda t: linear_model.HRLS(t, forgetting=0.99),
    "HLossBayes(Calibrated(HRLS))": lambda t: decision.HLossBayes(
        decision.Calibrated(linear_model.HRLS(t))
    ),
    "SHRLS": linear_model.SHRLS,
    "SHRLS(forgetting=0.99)": lambda t: linear_model.SHRLS(t, forgetting=0.99),
    "kernel.HRLS": kernel.HRLS,
    "kernel.SHRLS(budget=200)": lambda t: kernel.SHRLS(t, budget=200),
    "PerNode(LogisticRegression)": lambda t: local.PerNode(
        river_linear_model.LogisticRegression(), t
    ),
}
MODELS = SINGLE | SEVERAL
LEAST_SQUARES = (
    "HRLS",
    "HLossBayes(Calibrated(HRLS))",
    "SHRLS",
    "kernel.HRLS",
    "kernel.SHRLS(budget=200)",
)
# Why the age of a class matters for some models.
AGE_MATTERS = {
    **dict.fromkeys(LEAST_SQUARES, "every example in which the class is off counts"),
    **dict.fromkeys(
        ("HRLS(forgetting=0.99)", "SHRLS(forgetting=0.99)"),
        "they remember about 100 examples of each node, in which the class is off",
    ),
    **dict.fromkeys(
        ("PerParent(GaussianNB)", "PerLevel(GaussianNB)"),
        "the classifiers estimate frequencies from all examples",
    ),
}
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
        return bool(y == leaf if name in SINGLE else y[leaf])

    stream = whole if before == "learned" else synth.Appearing(whole, {leaf: at})
    for step, ((x, y), (_, truth)) in enumerate(zip(stream, whole, strict=False)):
        if step == at and before == "unknown":
            model.adopt(taxonomy)
        if step == at and before == "learned":
            model.forget(leaf)
        if before != "absent" or truth != leaf or step >= at:
            model.learn_one(x, y if name in SINGLE else {y})
        if y == leaf and step >= at:
            n += 1
            if n in CHECKS and sum(map(found, held_out)) >= 85:
                return n
            if n == CHECKS[-1]:
                break
    return sys.maxsize


LATE = 1500
CANNOT_FORGET = ("TreeBayes", "PerNode")
FEW = 28  # without a clock for each node, an average needs hundreds


@pytest.mark.slow(but=4)
@pytest.mark.parametrize("before", ["parent", "absent", "unknown", "learned"])
@pytest.mark.parametrize("name", [name for name in MODELS if name not in AGE_MATTERS])
def test_late_classes_are_learned_as_fast_as_early_ones(name: str, before: str) -> None:
    if before == "learned" and name.startswith(CANNOT_FORGET):
        pytest.skip("it cannot forget a node")
    needed = examples_needed(name, LATE, 1, before)
    assert needed <= FEW or needed <= 2 * examples_needed(name, 0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in AGE_MATTERS if name != "kernel.HRLS"])
def test_the_exceptions_are_exceptions(name: str) -> None:
    assert examples_needed(name, 0, 1) <= FEW < examples_needed(name, LATE, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
def test_forgetting_limits_the_effect_of_age(name: str) -> None:
    early, late = (
        examples_needed(f"{name}(forgetting=0.99)", at, 1, "absent") for at in (LATE, 3 * LATE)
    )
    assert late <= early <= FEW


def test_every_learner_is_tried() -> None:
    for package in ("linear_model", "kernel", "probabilistic"):
        prefix = "kernel." if package == "kernel" else ""
        for kind in learners(package):
            for learner in kind:
                # Neighbours of an early class are many: a late one needs as many.
                there = learner.endswith("Neighbors") or any(
                    f"{prefix}{learner}" in name for name in MODELS
                )
                assert there, f"add {learner} to SINGLE or SEVERAL"
