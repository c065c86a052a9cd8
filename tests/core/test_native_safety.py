"""Code of others in the middle of a step, strange mappings: nothing is torn."""

import collections
import contextlib
import itertools
import pickle
import types
from collections.abc import Mapping
from typing import Any

import pytest

from river_hier import Taxonomy, linear_model
from river_hier._core import FeatureIndex
from support.hooked import Hooked, Number
from support.public_api import learners

TREE = Taxonomy([("r", "a"), ("a", "b"), ("r", "c")])
SINGLE, MULTI = learners("linear_model")
NAMES = SINGLE + MULTI


def trained(name, taxonomy=TREE):
    model = getattr(linear_model, name)(taxonomy)
    model.learn_one({"x": 1.0, "y": -0.5, "a rather long name": 0.25}, "b")
    model.learn_one({"x": -1.0, 3: 0.5, ("t", 1): 1.0}, "c")
    return model


def calls(model, x):
    yield lambda: model.learn_one(x, "b")
    yield lambda: model.predict_one(x)
    yield lambda: model.score_one(x)
    yield lambda: model.predict_proba_one(x)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", ["hash", "eq", "float"])
def test_errors_of_keys_and_values_pass_through(name, which):
    for taxonomy in (TREE, None):
        model = trained(name, taxonomy)
        stored, fresh = Hooked("stored"), Hooked("stored")
        model.learn_one({stored: 1.0, "x": 1.0}, "b")
        before = pickle.dumps(model)
        x = {"new 1": 1.0, ("new", 2): 1.0, fresh: Number(0.5), "new 3": 1.0}
        hooked = x[fresh] if which == "float" else fresh
        hooked.hook(which, lambda: 1 / 0)
        for call in calls(model, x):
            with pytest.raises(ZeroDivisionError):
                call()
            assert pickle.dumps(model) == before
        hooked.unhook()
        model.learn_one(x, "b")
        names = model._features.names()
        assert names[-3:] == ["new 1", ("new", 2), "new 3"]
        assert len(model._features) - model._features.first_row == len(names) == len({*names})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", ["hash", "eq", "float"])
@pytest.mark.parametrize("change", ["clear", "grow", "pop"])
def test_an_x_that_changes_while_it_is_read(name, which, change):
    model = trained(name)
    model.learn_one({Hooked("stored"): 1.0}, "b")
    for call_number in range(4):
        fresh = Hooked("stored")
        x = {"x": 1.0, "new 1": 1.0, fresh: Number(0.5), "new 2": 2.0}

        def hook(x=x):
            if change == "clear":
                x.clear()
            elif change == "grow":
                x.update((str(i), 1.0) for i in range(1000))
            else:
                x.pop("new 2", None)

        (x[fresh] if which == "float" else fresh).hook(which, hook)
        list(calls(model, x))[call_number]()
    check_whole(model)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", ["hash", "eq"])
@pytest.mark.parametrize("taxonomy", [TREE, None], ids=["closed", "open"])
def test_a_key_that_calls_its_own_model(name, which, taxonomy):
    """What is learned is not promised, but that nothing is torn."""
    model = trained(name, taxonomy)
    model.learn_one({Hooked("stored"): 1.0}, "b")
    n_nosy = 0

    def nosy():
        nonlocal n_nosy
        n_nosy += 1
        for call in (*calls(model, {"x": 1.0}), lambda: model.learn_one({"z": n_nosy}, "c")):
            with contextlib.suppress(Exception):
                call()
        if taxonomy is None:
            with contextlib.suppress(Exception):
                model.learn_one({"z": 1.0}, f"a new label {n_nosy}")

    for number in range(4):
        fresh = Hooked("stored")
        x = {"new": 1.0, fresh: 1.0, f"newer {number}": 0.5}
        fresh.hook(which, nosy)
        with contextlib.suppress(Exception):
            list(calls(model, x))[number]()
        fresh.unhook()
    assert n_nosy >= 4
    check_whole(model)


def check_whole(model):
    """The model learns, and every name has a row of its own."""
    model.learn_one({"x": 1.0}, "b")
    names = model._features.names()
    rows = model._features.find(dict.fromkeys(names, 1.0)).rows.tolist()
    assert rows == list(range(model._features.first_row + len(names)))
    again = pickle.loads(pickle.dumps(model))
    assert again.score_one({"x": 1.0}) == pytest.approx(model.score_one({"x": 1.0}))


def test_other_models_may_be_called_meanwhile():
    model, other = trained("HPerceptron"), trained("SHRLS")
    fresh = Hooked("k")
    fresh.hook("hash", lambda: other.learn_one({"x": 2.0, "y": 1.0}, "b"))
    x = dict.fromkeys([fresh], 1.0)
    n = other.n_stored["b"]
    model.learn_one(x, "b")
    assert other.n_stored["b"] > n


class Reader(Mapping[Any, Any]):
    """A mapping that is no dict."""

    def __init__(self, x):
        self.x = x

    def __getitem__(self, name):
        return self.x[name]

    def __iter__(self):
        return iter(self.x)

    def __len__(self):
        return len(self.x)


class MyDict(dict[Any, Any]):
    pass


X = {"x": 0.5, "new": -1.0, 3: 2.0}
KINDS = [collections.OrderedDict, Reader, MyDict]
KINDS += [types.MappingProxyType, collections.ChainMap, collections.UserDict]
KINDS += [collections.Counter, lambda x: collections.defaultdict(float, x)]


@pytest.mark.parametrize(("name", "kind"), list(zip(NAMES, itertools.cycle(KINDS), strict=False)))
def test_any_mapping_is_an_x(name, kind):
    ours, theirs = trained(name), trained(name)
    x = kind(X)
    ours.learn_one(x, "b")
    theirs.learn_one(X, "b")
    assert pickle.dumps(ours) == pickle.dumps(theirs)
    assert ours.predict_one(x) == theirs.predict_one(X)
    assert len(x) == 3, "nothing was added"


class Halved(collections.Counter[Any]):
    """Its numbers are not those that its memory holds."""

    def __iter__(self):  # so that `dict` asks, too
        return iter(list(super().__iter__()))

    def __getitem__(self, name):
        return super().__getitem__(name) / 2

    def values(self):
        return [self[name] for name in self]


@pytest.mark.parametrize("kind", [*KINDS, Halved])
def test_any_mapping_is_read_as_it_says(kind):
    """By features that have met only plain names: those of a trained model here are not all."""
    x = kind({"x": 3.0, "new": -1.0})
    vector = FeatureIndex().insert(x)
    part = 0.5 if kind is Halved else 1.0
    assert vector.values.tolist() == [3.0 * part, -part]
    assert vector.norm2 == 10.0 * part**2


def test_unhashable_names_of_a_mapping():
    class Odd(Reader):
        def __iter__(self):
            return iter([["a list"]])

        def __getitem__(self, name):
            return 1.0

        def __len__(self):
            return 1

    for name in NAMES:
        model = trained(name)
        before = pickle.dumps(model)
        for call in calls(model, Odd({})):
            with pytest.raises(TypeError, match="unhashable type: 'list'"):
                call()
        assert pickle.dumps(model) == before
