"""Comparisons of a learner with its oracle, up to rounding."""

import pytest

import oracles

NEAR = 1e-9


def assert_near(ours, theirs):
    assert list(ours) == list(theirs)
    for label, value in theirs.items():
        assert ours[label] == pytest.approx(value, abs=NEAR), label


def assert_same_weights(ours, theirs):
    for label, w in ours.items():
        for name in w.keys() | theirs[label].keys():
            assert w.get(name, 0.0) == pytest.approx(theirs[label].get(name, 0.0), abs=NEAR)


def decided(scores, learned):
    """Whether no rounding error could turn a decision: scores are zero for sure, or not near it."""
    return all(abs(score) > NEAR or not learned(label) for label, score in scores.items())


def near_the_top(scores):
    top = max(scores.values())
    return {label for label, score in scores.items() if top - score <= NEAR}


def untouched(oracle):
    """The nodes whose prototypes are zero, so that their scores are exact."""
    parents = oracle.parents
    return {v for v in parents if not any(oracle.w[u] for u in oracles.path(parents, v))}


def assert_coherent(proba, taxonomy):
    for label, p in proba.items():
        assert p[False] + p[True] == pytest.approx(1.0)
        assert 0.0 <= p[True] <= 1.0
        for parent in taxonomy.parents(label):
            assert parent == taxonomy.root or p[True] <= proba[parent][True] + 1e-12
