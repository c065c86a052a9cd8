"""Metrics of probabilities: general laws, and models whose probabilities get better."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, metrics
from support.strategies import parents_of, trees

TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])


def test_true_probabilities_have_no_error_and_overconfident_ones_have() -> None:
    rng = np.random.default_rng(1)
    labels = list(range(40))
    taxonomy = Taxonomy.flat(labels, root="root")
    honest, overconfident, dull = (metrics.CalibrationError(taxonomy) for _ in range(3))
    p = rng.random((500, len(labels)))
    on = rng.random(p.shape) < p
    for said, y in zip(p, on.tolist(), strict=True):
        truth = dict(zip(labels, y, strict=True))
        honest.update(truth, dict(zip(labels, said.tolist(), strict=True)))
        overconfident.update(truth, dict(zip(labels, (said > 0.5).astype(float), strict=True)))
        dull.update(truth, dict.fromkeys(labels, 0.5))
    assert honest.get() < 0.015
    assert overconfident.get() == pytest.approx(0.25, abs=0.01)  # the mean of min(p, 1 - p)
    assert dull.get() < 0.02


def test_borders_belong_to_the_upper_bin_and_1_to_the_last() -> None:
    metric = metrics.Reliability(TREE, n_bins=4, candidates=["b"])
    for p in (0.0, 0.25, 0.5, 1.0):
        metric.update("b" if p else set(), {"b": p})
    assert metric.get() == {
        0: (0.0, 0.0, 1.0),
        1: (0.25, 1.0, 1.0),
        2: (0.5, 1.0, 1.0),
        3: (1.0, 1.0, 1.0),
    }


@given(trees(2, 6), st.data())
def test_the_probabilities_of_all_multilabels_sum_to_1(t: Taxonomy, data: st.DataObject) -> None:
    given_parent = {v: data.draw(st.sampled_from([0.1, 0.5, 0.7])) for v in t.nodes[1:]}
    p: dict[Any, float] = {t.root: 1.0}
    for v in t.nodes[1:]:
        p[v] = given_parent[v] * p[t.parent(v)]
    total = 0.0
    for m in oracles.multilabels(parents_of(t)):
        metric = metrics.LogLoss(t)
        metric.update(m, p)
        assert math.exp(-metric.get()) == pytest.approx(
            oracles.probability(parents_of(t), given_parent, m)
        )
        total += math.exp(-metric.get())
    assert total == pytest.approx(1.0)
