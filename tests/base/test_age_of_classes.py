"""A class is learned after as few examples if it appears late in the stream."""

from __future__ import annotations

import pytest

from bench.young_classes import LEARNERS, examples_needed


@pytest.mark.parametrize("name", LEARNERS)
def test_late_classes_are_learned_as_fast_as_early_ones(name: str) -> None:
    assert examples_needed(LEARNERS[name], at=1500, seed=1) <= 5
