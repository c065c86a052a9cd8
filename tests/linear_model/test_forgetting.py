"""Learners that forget: against oracles that compute the weights of all ages."""

import math
import pickle
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from river_hier import Taxonomy, linear_model
from support.hypothesis_settings import n_examples
from support.least_squares import kinds
from support.public_api import learners
from support.strategies import multilabel_streams, parents_of

NEAR = 1e-9
TREE = Taxonomy([("r", "a"), ("a", "b"), ("a", "c"), ("r", "d")])


def near(values: Any) -> Any:
    return pytest.approx(values, abs=NEAR, rel=NEAR)


WIDE = ["few features", "many features"]  # primal variables, or dual ones


def widened(stream: list[Any]) -> list[Any]:
    """So many features that systems stay in dual variables."""
    return [({**x, f"a{i}": 1.0, f"b{i}": -0.5}, y) for i, (x, y) in enumerate(stream)]


@pytest.mark.slow(but=6)
@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
@pytest.mark.parametrize("wide", WIDE)
@given(
    data=multilabel_streams(), pickle_at=st.integers(0, 25), forgetting=st.sampled_from([0.4, 0.8])
)
@n_examples(7)
def test_least_squares_equal_the_oracle(
    name: str, wide: str, data: Any, pickle_at: int, forgetting: float
) -> None:
    taxonomy, stream = data
    few = wide == WIDE[0]
    forgetting = max(forgetting, 0.8) if few else forgetting
    beside_the_oracle(name, taxonomy, stream if few else widened(stream), forgetting, pickle_at)


@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
def test_least_squares_in_primal_variables_equal_the_oracle(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4)).tolist()
    labels = [[TREE.nodes[v]] for v in rng.integers(1, len(TREE), size=len(X))]
    stream = [(dict(enumerate(x)), y) for x, y in zip(X, labels, strict=True)]
    model = beside_the_oracle(name, TREE, stream, 0.99, 120, faint=0.0)
    assert "primal" in kinds(model._rls)


def beside_the_oracle(
    name: str, taxonomy: Any, stream: Any, forgetting: float, pickle_at: int, faint: float = 1e-3
) -> Any:
    theirs = getattr(oracles, name)(
        parents_of(taxonomy), l2=0.5, forgetting=forgetting, faint=faint
    )
    ours = getattr(linear_model, name)(taxonomy, l2=0.5, forgetting=forgetting)
    for step, (x, y) in enumerate(stream):
        assert ours.score_one(x) == pytest.approx(theirs.scores(x), abs=1e-7)
        ours.learn_one(x, y)
        theirs.learn(x, y)
        if name == "SHRLS":
            stored = {v: theirs.stored(v) for v in taxonomy.nodes[1:]}
            assert ours.n_stored == pytest.approx(stored, rel=1e-12)
        if step == pickle_at:
            ours = pickle.loads(pickle.dumps(ours))
    return ours


def test_the_number_stored_is_discounted_but_not_rounded() -> None:
    """It weighs examples, so it need not be whole."""
    model = linear_model.SHRLS(Taxonomy.flat(["a"]), threshold=1e6, forgetting=0.9)
    for i in range(7):  # one period
        model.learn_one({i: 1.0, i + 1: -1.0}, "a")
    assert model.n_stored == pytest.approx({"a": 7 * 0.9**7})  # 3.348


@pytest.mark.parametrize("name", ["HAROW", "HRLS", "SHRLS"])
def test_zeros_are_not_there(name: str) -> None:
    cls = getattr(linear_model, name)
    one, other = (cls(TREE, forgetting=0.5, intercept=0.0) for _ in range(2))
    for i in range(12):
        x, y = {i % 3: 1.0, "x": -0.5}, {"b"} if i % 2 else iter(["c"])
        one.learn_one(x, y)
        other.learn_one({0: 0.0, 1: 0.0, 2: 0.0, **x}, {"b"} if i % 2 else {"c"})
        other.learn_one({}, {"b"})
        other.learn_one({"x": 0.0}, {"b"})
        if name == "SHRLS":  # but they are rounds
            one._t += 2
    assert other.score_one({"x": 1.0, 1: 2.0}) == near(one.score_one({"x": 1.0, 1: 2.0}))


@pytest.mark.parametrize("wide", WIDE)
def test_siblings_that_come_later_were_off_before(wide: str) -> None:
    stream = [({i % 4: 1.0, "x": (-1.0) ** i}, {"b"} if i % 2 else {"a"}) for i in range(30)]
    stream = widened(stream) if wide == WIDE[1] else stream
    after = TREE.extend([("a", "late"), ("late", "later")])
    adopted = linear_model.HRLS(TREE, forgetting=0.9)
    always = linear_model.HRLS(after, forgetting=0.9)
    for i, (x, y) in enumerate(stream):
        if i == 20:
            adopted.adopt(after)
        y = {"late"} if i > 20 and i % 3 == 0 else y
        adopted.learn_one(x, y)
        always.learn_one(x, y)
    x = {"x": 1.0, 2: -1.0}
    assert adopted.score_one(x) == near(always.score_one(x))
    assert adopted.score_one(x)["late"] != 0.0


@pytest.mark.parametrize("name", ["HRLS", "SHRLS"])
def test_endless_streams_take_bounded_memory(name: str) -> None:
    """Every example brings new features, and a node holds ten periods of 14 at most."""
    rng = np.random.default_rng(1)
    model = getattr(linear_model, name)(TREE, forgetting=0.95)
    for i in range(250):
        x = {int(j): 0.5 for j in rng.integers(0, 10**6, size=4)}
        model.learn_one(x, {"b"} if i % 2 else {"c"})
    assert 100 < max(model._rls.sizes) <= 10 * 14


def test_forgetting_nothing_is_what_it_was() -> None:
    """One half-life from now: a period that never ends changes no bit."""
    stream = [({i % 4: 1.0, "x": (-1.0) ** i * i}, {"b"} if i % 3 else {"c"}) for i in range(40)]
    for name in ("HRLS", "SHRLS"):
        one = getattr(linear_model, name)(TREE)
        other = getattr(linear_model, name)(TREE, forgetting=0.999)
        for x, y in stream:
            one.learn_one(x, y)
            other.learn_one(x, y)
        assert one.score_one({"x": 1.0, 1: 1.0}) == other.score_one({"x": 1.0, 1: 1.0})


@pytest.mark.parametrize("name", [*chain(*learners("linear_model", "forgetting"))])
@pytest.mark.parametrize("value", [0.0, -0.5, 1.5, math.nan, None, "slowly", True])
def test_bad_arguments(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match="`forgetting` must be above 0 and at most 1"):
        getattr(linear_model, name)(TREE, forgetting=value)


def test_a_budget_and_forgetting_do_not_go_together() -> None:
    with pytest.raises(ValueError, match=r"`budget` is 10 and `forgetting` 0\.9"):
        linear_model.SHRLS(TREE, budget=10, forgetting=0.9)
