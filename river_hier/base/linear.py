"""The base class of linear learners: what `TopDownLearner` and `PathLearner` share.

A linear learner has a weight vector at every node and is defined by its *rule*: how far each node
moves along x. The rule is a method of the learner, in numpy. Learners of the library also have a
compiled policy of the same name and shape (`_core/native`), which is used if the extension is
installed, unless a subclass defines its own rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from types import MethodType
from typing import Any, ClassVar

from river.base.estimator import EstimatorMeta
from scipy import sparse

from .._core import (
    Batch,
    GaussianWeights,
    Vectors,
    Weights,
    of_averages,
    policies,
    remap_clocks,
    remap_weights,
)
from ..taxonomy import Taxonomy, TaxonomyLike
from .checks import check_dtype
from .model import TaxonomyModel
from .weight_vectors import WeightVectors, feature_map

SLICE = 4096  # maximum number of rows per call of the compiled core
SECONDS = 0.004  # how long such a call may take


class LearnerType(EstimatorMeta):
    """The type of linear learners, whose rule cannot be replaced where a policy computes it."""

    def __setattr__(cls, name: str, value: Any) -> None:  # noqa: N805
        if getattr(cls, "_compiled", "") and name in getattr(cls, "_rule_methods", ()):
            raise AttributeError(_not_replaced(cls, name))
        super().__setattr__(name, value)


class CompiledMethod:
    """A method that a compiled policy computes: another one for an instance is an error."""

    def __init__(self, name: str, method: Any) -> None:
        self.name = name
        self.method = method

    def __get__(self, learner: Any, cls: type) -> Any:
        return self.method if learner is None else MethodType(self.method, learner)

    def __set__(self, learner: Any, value: Any) -> None:
        raise AttributeError(_not_replaced(type(learner), self.name))


def _not_replaced(cls: type, name: str) -> str:
    return (
        f"`{name}` of {cls.__name__} cannot be replaced, because a compiled policy computes it; "
        f"define a subclass: `class Mine({cls.__name__})` with a `{name}` of its own"
    )


class LinearLearner(WeightVectors, TaxonomyModel, metaclass=LearnerType):
    """Base class of learners whose weights move by a rule, which may have a compiled policy."""

    _compiled: ClassVar[str] = ""  # the compiled policy of the rule; none if it is empty
    _rule_methods: ClassVar[tuple[str, ...]] = ()
    _compiled_rule: ClassVar[dict[str, Any]]  # the methods that the policy computes
    _parameters: Any  # those of the policy: None, a number, or a tuple of several
    _learn_by_rule: Any

    def __init_subclass__(cls, compiled: tuple[str, ...] | None = None, **kwargs: Any) -> None:
        """Set the compiled policy that computes the rule, if there is one.

        It has the name of the class and takes the attributes `compiled`. A subclass without
        `compiled` inherits it, unless it or a mixin overrides a method of the rule.
        """
        super().__init_subclass__(**kwargs)
        methods = {name: getattr(cls, name) for name in cls._rule_methods}
        if compiled is not None:
            if policies and cls.__name__ not in policies:
                raise TypeError(
                    f"`compiled=` of {cls.__name__} needs a compiled policy of that name, and the "
                    f"native backend has {', '.join(sorted(policies))}; add it to "
                    "`linear_learners` in _core/native/bindings/learners.cpp, and install again "
                    "with `pip install -v -e .`, which shows errors of the C++ compiler"
                )
            for name, method in methods.items():
                if callable(method):
                    setattr(cls, name, CompiledMethod(name, method))
            cls._parameters = property(attrgetter(*compiled)) if compiled else None
            cls._compiled_rule = methods
            cls._compiled = cls.__name__
        elif cls._compiled and cls._compiled_rule != methods:
            cls._compiled = ""

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        n_features: int | None = None,
        dtype: str = "float64",
        intercept: float = 0.0,
    ) -> None:
        super().__init__(taxonomy)
        second_order = getattr(self, "second_order", False)  # of a `TopDownLearner`
        check_dtype("dtype", dtype, second_order)
        self._features = feature_map(n_features, intercept)
        self.n_features = n_features
        self.dtype = dtype
        self.intercept = intercept
        kind = GaussianWeights if second_order else Weights
        self._w: Weights = kind(len(self._taxonomy), dtype)
        self._lag = self._clocks = None

    @property
    def _may_refuse(self) -> bool:
        return not self._compiled  # a custom rule may raise

    def _learn_compiled(self, x: Mapping[Any, Any], y: Any, w: float, learner: Any = None) -> bool:
        """Learn in a single call of the compiled policy, if there is one.

        The policy is that of `learner`: for an average, its inner model; else the model itself.
        """
        learner = self if learner is None else learner
        if (policy := policies.get(learner._compiled)) is None:
            return False
        parameters = learner._parameters
        # One by one, as a tuple in between takes a tenth of the time of a short x.
        policy.learn_one(
            self._w, self._lag, self._clocks, self._features, self._labels, x, y, w, parameters
        )
        return True

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float, learner: Any = None) -> None:
        """Learn by the compiled policy of `learner`, or by its rule."""
        if not self._learn_compiled(x, y, w, learner):
            state = self._w, self._lag, self._clocks, self._features, self._labels
            self._learn_by_rule(self if learner is None else learner, *state, x, y, w)

    def _learn_many(self, X: Batch, y: Any, learner: Any = None) -> Iterator[int]:
        """Learn from a mini-batch, by the compiled policy or row by row."""
        learner = self if learner is None else learner
        policy = policies.get(learner._compiled)
        if policy is None:
            yield from super()._learn_many(X, y)
            return
        state = self._w, self._lag, self._clocks, self._features, self._labels
        vectors, first = Vectors(self._features, X, True), 0
        while first < X.n:
            slice_ = vectors, first, y[first : first + SLICE]
            first = policy.learn_many(*state, *slice_, learner._parameters, SECONDS)
            yield first

    def _move_weights(self, onto: sparse.csr_array, sources: Sequence[tuple[int, ...]]) -> None:
        """Move the weights to the nodes of another taxonomy."""
        w, lag, clocks = remap_weights(self._w, onto), self._lag, self._clocks
        if lag is not None:
            clocks = remap_clocks(clocks, sources)
            lag = remap_weights(lag, of_averages(onto, self._clocks, clocks))
        self._w, self._lag, self._clocks = w, lag, clocks

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        self._w.add_nodes(len(after))
        if self._lag is not None and self._clocks is not None:
            self._lag.add_nodes(len(after))
            self._clocks.add_nodes(len(after))
