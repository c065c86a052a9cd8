"""Rules that numba compiles: answers of the same rules in Python, or of the library's in C++."""

import importlib.util
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_hier import Taxonomy, base, linear_model
from support.comparison import assert_same_weights
from support.hypothesis_settings import n_examples
from support.strategies import multilabel_streams, sample_weights, single_label_streams

pytest.importorskip("numba")
TREE = Taxonomy([("all", "a"), ("all", "b"), ("a", "c"), ("a", "d")])
X = {"p": 1.0, "q": 2.0}


class PassiveAggressive(base.TopDownLearner, numba=("C",)):
    def __init__(self, taxonomy: Any = None, C: float = 1.0, dtype: str = "float64") -> None:
        super().__init__(taxonomy, dtype)
        self.C = C

    def rule(self, score: Any, y: Any, norm2: float) -> Any:  # type: ignore[override]
        loss = np.maximum(0.0, 1.0 - y * score)
        return y * np.minimum(self.C, loss / norm2)


class AROW(base.TopDownLearner, numba=("r",)):
    second_order = True

    def __init__(self, taxonomy: Any = None, r: float = 1.0, forgetting: float = 0.9) -> None:
        super().__init__(taxonomy)
        self.r = r
        self.forgetting = forgetting

    def learns(self, score: Any, y: Any) -> Any:
        return y * score < 1.0

    def rule(self, score: Any, y: Any, norm2: float, variance: Any = 0.0) -> Any:
        confidence = 1.0 / (variance + self.r)
        return (y - score) * confidence, confidence


class Largest(base.PathLearner, numba=("C",)):
    def __init__(self, taxonomy: Any = None, C: int = 10) -> None:
        super().__init__(taxonomy)
        self.C = C

    def rule(self, margin: float, gamma: float, norm2: float) -> float:
        return min(self.C, (np.sqrt(gamma) - margin) / (gamma * norm2))


class SecondBest(Largest, numba=("C",)):
    def rival(self, score: Any, y: int) -> int:
        others = score.copy()
        others[y] = -np.inf
        return others.argmax()  # type: ignore[no-any-return]


def in_python(learner: Any) -> Any:
    """The same learner, whose rule is not compiled."""
    own = {name: lambda self, *args, f=f: f(self, *args) for name, f in rules(learner).items()}
    return type("InPython", (learner,), own)


def rules(learner: Any) -> dict[str, Any]:
    return {
        name: getattr(learner, name)
        for name in ("rule", "learns", "rival")
        if hasattr(learner, name)
    }


def same(ours: Any, theirs: Any, stream: Any, weights: Any) -> None:
    assert ours._policy is not None
    for (x, y), w in zip(stream, weights, strict=False):
        assert ours.predict_one(x) == theirs.predict_one(x)
        ours.learn_one(x, y, w=w)
        theirs.learn_one(x, y, w=w)
        assert_same_weights(ours.weights, theirs.weights)
        ours = pickle.loads(pickle.dumps(ours))


@given(data=multilabel_streams(), weights=sample_weights, C=st.sampled_from([0.5, 2.0]))
@n_examples(25)
def test_first_order(data: Any, weights: Any, C: float) -> None:
    taxonomy, stream = data
    for t in (taxonomy, None):
        theirs = in_python(PassiveAggressive)(t, C)
        assert theirs._policy is None
        same(PassiveAggressive(t, C), theirs, stream, weights)


@pytest.mark.slow
@given(data=multilabel_streams(), weights=sample_weights, r=st.sampled_from([0.5, 2.0]))
@n_examples(25)
def test_second_order(data: Any, weights: Any, r: float) -> None:
    taxonomy, stream = data
    for theirs in (
        in_python(AROW)(taxonomy, r),
        linear_model.HAROW(taxonomy, r, forgetting=0.9, intercept=0.0),
    ):
        same(AROW(taxonomy, r), theirs, stream, weights)


@pytest.mark.slow
@given(data=single_label_streams(), weights=sample_weights)
@n_examples(25)
def test_on_paths(data: Any, weights: Any) -> None:
    taxonomy, stream = data
    same(Largest(taxonomy), linear_model.Hieron(taxonomy), stream, weights)
    same(SecondBest(taxonomy, 1), in_python(SecondBest)(taxonomy, 1), stream, weights)


def test_batches_clones_and_averages() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = [{TREE.nodes[1 + i % 4]} for i in range(40)]
    one, many = PassiveAggressive(TREE, 0.1), PassiveAggressive(TREE, 0.1)
    for x, label in zip(X, y, strict=True):
        one.learn_one(dict(enumerate(x)), label)
    many.learn_many(X, y)
    assert one.weights == many.weights == many.clone(include_attributes=True).weights
    assert many.clone({"C": 5.0}).C == 5.0
    average = linear_model.Averaged(PassiveAggressive(TREE, 0.1))
    average.learn_many(X, y)
    assert average.last.weights == many.weights != average.weights


def test_an_address_is_not_pickled() -> None:
    PassiveAggressive(TREE).learn_one(X, {"a"})
    policy = pickle.loads(pickle.dumps(PassiveAggressive._policy))
    assert vars(policy) == {"cls": PassiveAggressive, "names": ("C",)}
    cloudpickle = pytest.importorskip("cloudpickle")
    namespace: dict[str, Any] = {"Parent": base.PathLearner}
    exec(
        "class Local(Parent, numba=()):\n    def rule(self, *given):\n        return 1.0", namespace
    )
    model = namespace["Local"](TREE)
    model.learn_one(X, "c")
    again = cloudpickle.loads(cloudpickle.dumps(model))  # the class, too
    assert vars(type(again)._policy).keys() == {"cls", "names"}
    model.learn_one({"p": -1.0}, "c")
    again.learn_one({"p": -1.0}, "c")
    assert again.weights == model.weights


def test_a_subclass_runs_its_own_rule_and_reads_its_own_parameters() -> None:
    class Still(PassiveAggressive):
        def rule(self, *args: Any) -> Any:
            return 0.0 * args[0]

    class Small(PassiveAggressive):
        C = 0.01

        def __init__(self, taxonomy: Any) -> None:
            base.TopDownLearner.__init__(self, taxonomy)

    still, small = Still(TREE), Small(TREE)
    for model in (still, small):
        model.learn_one(X, {"a"})
    assert not any(still.weights.values())
    assert small.weights["a"] == {"p": 0.01, "q": 0.02}


def test_without_numba_the_rule_runs_in_python(monkeypatch: Any) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    class Alone(PassiveAggressive, numba=("C",)):
        pass

    monkeypatch.undo()
    assert Alone._policy is None
    one, two = Alone(TREE), PassiveAggressive(TREE)
    for model in (one, two):
        model.learn_one(X, {"c"})
    assert one.weights == two.weights


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Exception ignored")
def test_refusals() -> None:
    class Unknown(base.TopDownLearner, numba=()):
        def rule(self, score: Any, y: Any, norm2: float) -> Any:  # type: ignore[override]
            return y * self.C  # type: ignore[attr-defined]

    class Nan(base.TopDownLearner, numba=()):
        def rule(self, score: Any, y: Any, norm2: float) -> Any:  # type: ignore[override]
            return score / 0.0

    class Raises(base.PathLearner, numba=()):
        def rule(self, margin: float, gamma: float, norm2: float) -> float:
            if margin == 0.0:
                raise ValueError("no margin")
            return 1.0

    class Lost(Largest, numba=("C",)):
        def rival(self, score: Any, y: int) -> int:
            return -1

    with pytest.raises(TypeError, match=r"cannot compile `rule` of Unknown; .* names, \(\)"):
        Unknown(TREE).learn_one(X, {"c"})
    with pytest.raises(ValueError, match="must return numbers, got nan"):
        Nan(TREE).learn_one(X, {"c"})
    with pytest.raises(ValueError, match="must return numbers, got nan"):
        Raises(TREE).learn_one(X, "c")
    with pytest.raises(ValueError, match="`rival` must return a node"):
        Lost(TREE).learn_one(X, "c")
    for learner in (linear_model.PathSoftmax, linear_model.HMinOver):
        with pytest.raises(TypeError, match="`numba=` is for rules of `TopDownLearner` and"):
            type("Other", (learner,), {}, numba=())  # type: ignore[call-overload]
