"""A class is learned after about as few examples if it appears late in the stream."""

from __future__ import annotations

import pytest

from support.public_api import learners
from support.young_classes import AGE_MATTERS, MODELS, examples_needed

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
                there = any(f"{prefix}{learner}" in name for name in MODELS)
                assert there, f"tests/support/young_classes.py: add {learner} to SINGLE or SEVERAL"
