"""Answers from the top down: a node is on if its parents are on and its own score is >= 0."""

from __future__ import annotations

from typing import Any

from ...taxonomy import Label
from .feature_map import FeatureMap
from .labels import Labels
from .paths import top_down
from .weights import Weights


def top_down_answer(w: Weights, features: FeatureMap, labels: Labels, x: Any) -> dict[Label, bool]:
    """The multilabel of x: O(features of x * nodes)."""
    return labels.answer(top_down(w.scores(features.find(x)) >= 0.0, labels.arrays))
