"""The losses of rankings: scikit-learn's values, and laws."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from river_hier import Taxonomy, losses, metrics
from support.strategies import multilabels, taxonomies

TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])
FUNCTIONS = [
    losses.one_accuracy, losses.average_precision, losses.ranking_loss, losses.maximal_loss,
    losses.parent_one_accuracy,
]  # fmt: skip

halves = st.integers(-4, 4).map(lambda i: i / 2)  # so that ties come often


@given(scores=st.lists(st.lists(halves, min_size=4, max_size=4), min_size=1, max_size=5))
def test_scikit_learn_measures_the_same(scores: list[list[float]]) -> None:
    taxonomy = Taxonomy.flat("abcd")
    truths = [[(i + j) % 3 == 0 for j in range(4)] for i in range(len(scores))]
    precision, loss = metrics.AveragePrecision(taxonomy), metrics.RankingLoss(taxonomy)
    for row, truth in zip(scores, truths, strict=True):
        for metric in (precision, loss):
            metric.update(
                dict(zip("abcd", truth, strict=True)), dict(zip("abcd", row, strict=True))
            )
    assert precision.get() == pytest.approx(
        sklearn_metrics.label_ranking_average_precision_score(truths, scores)
    )
    assert loss.get() == pytest.approx(sklearn_metrics.label_ranking_loss(truths, scores))


@given(data=st.data())
def test_the_maximal_loss_bounds_the_others(data: Any) -> None:
    """At least 1 where a pair is misordered, and the distance of that pair in a tree."""
    taxonomy = data.draw(taxonomies())
    scores = data.draw(st.fixed_dictionaries(dict.fromkeys(taxonomy.nodes, halves)))
    y = data.draw(multilabels(taxonomy))
    worst = losses.maximal_loss(taxonomy, y, scores)
    wrong = losses.ranking_loss(taxonomy, y, scores)
    assert (worst >= 1.0) == (wrong > 0.0)
    assert worst >= wrong
    precise = losses.average_precision(taxonomy, y, scores) == pytest.approx(1.0)
    assert precise or wrong > 0.0
    if taxonomy._is_tree:
        assert worst <= 2 * taxonomy.height


@pytest.mark.parametrize("loss", FUNCTIONS)
def test_candidates_without_a_score_rank_last(loss: Any) -> None:
    for y in ({"b"}, {"b", "d"}, set(), {"b", "c", "d"}):
        low = {"b": 1.0, "c": -math.inf, "d": -math.inf}
        assert loss(TREE, y, {"b": 1.0}) == loss(TREE, y, low)
    assert loss(Taxonomy.flat([]), set(), {}) in (0.0, 1.0)


def test_the_first_candidate_is_not_the_top_of_a_ranking_without_scores() -> None:
    for loss in (losses.one_accuracy, losses.parent_one_accuracy):
        assert loss(TREE, "b", None) == 0.0
