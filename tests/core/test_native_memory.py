"""Nothing leaks: reference counts, and models let go. Memory: tests/base/test_memory_usage.py."""

import gc
import sys
import weakref

import numpy as np
import pytest

from river_hier import Taxonomy, linear_model
from support.public_api import learners

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
SINGLE, MULTI = learners("linear_model")
NAMES = SINGLE + MULTI


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", NAMES)
def test_reference_counts(name):
    text, long, odd = "".join(["k", "ey"]), "".join(["a name of more ", "than 16"]), (1, "t")
    keys = [text, long, odd, 10**6, 2.5]
    values = [float("0.3"), float("1.7"), 1000, np.float64(0.3), 5.0]
    y = dict.fromkeys(("a", "b"), True)
    model = getattr(linear_model, name)(TREE)
    x = dict(zip(keys, values, strict=True))
    label = "b" if name in SINGLE else y
    model.learn_one(x, label)
    model.predict_one(x)
    gc.collect()  # of what others have left behind nothing shall go while we count
    watched = [*keys, *values, *TREE.nodes, y, x, TREE]
    before = [sys.getrefcount(one) for one in watched]
    bools = sys.getrefcount(True) + sys.getrefcount(False)
    for _ in range(500):
        model.learn_one(x, label)
        model.predict_one(x)
        model.score_one(x)
        for bad in ({**x, "n": None}, {**x, "n": float("nan")}, [x]):
            with pytest.raises((TypeError, ValueError)):
                model.learn_one(bad, label)
        with pytest.raises((TypeError, ValueError)):
            model.learn_one(x, "unicorn")
    bad = None
    after = [sys.getrefcount(one) for one in watched]
    grown = [b - a for a, b in zip(before, after, strict=True)]
    assert max(map(abs, grown)) < 50, "some are cached, but not one a step"
    # Others use these too; a lost one in each answer would be 2000.
    assert abs(sys.getrefcount(True) + sys.getrefcount(False) - bools) < 1000
    del model
    gc.collect()
    for one in [text, long, odd]:
        assert sys.getrefcount(one) <= before[watched.index(one)]


@pytest.mark.slow(but=1)
@pytest.mark.parametrize("name", NAMES)
def test_a_model_that_is_let_go_takes_its_names_along(name):
    class Key:
        pass

    model = getattr(linear_model, name)(TREE)
    key = Key()
    model.learn_one({key: 1.0, "x": np.float64(2.0)}, "b")
    model.predict_one({key: 1.0})
    model.score_one({key: 1.0})
    watched = [weakref.ref(model), weakref.ref(key)]
    del key
    gc.collect()
    assert all(ref() is not None for ref in watched), "the model keeps its names"
    del model
    gc.collect()
    assert [ref() for ref in watched] == [None, None]
