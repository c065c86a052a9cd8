"""Rows of an encoder as features."""

import sys

import numpy as np
import pandas as pd
import pytest

from river_hier import ensemble, linear_model
from river_hier.feature_extraction import Embedding
from support.river_checks import rivers_checks

TEXTS = ["a b", "b b c", ""]


def encoder(texts):
    return [[text.count("a"), 2 * text.count("b")] for text in texts]


def test_rows_have_norm_1():
    found = [Embedding(encoder=encoder).transform_one(text) for text in TEXTS]
    expected = [[5**-0.5, 2 * 5**-0.5], [0.0, 1.0], [0.0, 0.0]]
    assert [list(x) for x in found] == [[0, 1]] * 3
    assert np.array([[*x.values()] for x in found]) == pytest.approx(np.array(expected))
    assert Embedding("t", encoder).transform_one({"t": "a b"}) == found[0]
    assert Embedding(["t", "u"], encoder).transform_one({"t": "a", "u": "b"}) == found[0]


def test_a_batch_is_its_loop():
    series = pd.Series(TEXTS, [4, 2, 7])
    one = [Embedding(encoder=encoder).transform_one(text) for text in TEXTS]
    for X, on in ((series, None), (TEXTS, None), (series.to_frame("t"), "t")):
        found = Embedding(on, encoder).transform_many(X)
        assert found.to_dict("records") == one
        assert list(found.index) == ([0, 1, 2] if X is TEXTS else [4, 2, 7])
    model = Embedding(encoder=encoder) | linear_model.PathSoftmax()
    model.learn_many(series, pd.Series(["x", "y", "y"], series.index))
    assert model.predict_one("a") == "x"


def test_bad_rows_and_texts():
    for wrong, shape in (([1.0], r"\(1,\)"), ([[1.0], [2.0]], r"\(2, 1\)")):
        with pytest.raises(ValueError, match=f"for each of 1 texts, got an array of shape {shape}"):
            Embedding(encoder=lambda _, rows=wrong: rows).transform_one("a")
    with pytest.raises(ValueError, match="expected text, got 3"):
        Embedding(encoder=encoder).transform_one(3)


def test_the_package_of_the_encoder_is_named(monkeypatch):
    from river_hier.feature_extraction import embedding

    embedding._wordllama.cache_clear()
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(ImportError, match=r"pip install 'river-hier\[encoder\]'"):
        Embedding().transform_one("a")


def test_the_small_encoder():
    pytest.importorskip("wordllama")
    texts = ["a red car", "an automobile", "boiled rice"]
    car, automobile, rice = Embedding().transform_many(texts).to_numpy()
    assert car @ automobile > car @ rice + 0.1


def test_views_of_a_text_with_an_encoder():
    for given, expected in ((None, []), (False, []), (True, [None]), (encoder, [encoder])):
        views = ensemble.make_views(texts=["t"], encoder=given)
        rows = [model["Embedding"] for model in views.models[1:]]
        assert [part.encoder for part in rows] == expected
        assert all(part.on == "t" for part in rows)


def test_rivers_checks():
    for check in rivers_checks(Embedding(encoder=encoder), skips=()):
        check(Embedding(encoder=encoder))
