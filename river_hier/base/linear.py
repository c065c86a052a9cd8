"""The base class of linear learners: what `TopDownLearner` and `PathLearner` share.

A linear learner has a weight vector at every node and a *rule*: how far each node moves along x.
The rule is a method, in numpy. Learners of the library also have a compiled policy of the same name
(`_core/native/algorithms`), which is used unless a subclass defines its own rule.
"""

import abc
import importlib.util
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._core import Batch, Labels, LinearState, Nodes, Vector, Vectors, policies
from .._core.features import SMALLEST_NORM2
from .._core.rule_by_numba import PolicyByNumba
from ..taxonomy import Edit, Evidence, Part, Taxonomy, TaxonomyLike
from . import explanation
from .checks import check, check_intercept
from .edited import Matrix, matrices, rows_of
from .explanation import Floats
from .model import TaxonomyModel

SECONDS = 0.004  # how long a call of the compiled core may learn
FEW = 16  # rows: for fewer, copying the weights takes longer
SMALL = 2**20  # multiplications: for fewer, either method is fast enough
SPARSE = 4  # a dense copy this many times as large as the weights is mostly zeros
BLOCK = 2**19  # number of scores that are computed at once

PARTS = Part, Evidence  # what may be known of y

Moves = tuple[NDArray[Any], ...]
NOTHING: Moves = np.empty(0, dtype=np.intp), np.empty(0)  # moves


class LinearLearner(TaxonomyModel):
    """Base class of learners whose weights move by a rule, which may have a compiled policy."""

    # How scores of labels follow from those of weight vectors: sums along "paths", or those of a
    # "softmax" of all labels or of "decisions", which have two vectors a node.
    _scoring: ClassVar[str] = "paths"
    _scale: float = 1.0  # the factor of scores beside those of the stored weights
    _policy: ClassVar[Any] = None  # the compiled policy of the rule
    _by_numba: ClassVar[str | None] = None  # the method beside `rule` that numba may compile
    _rule_methods: ClassVar[tuple[str, ...]] = ()
    _compiled_rule: ClassVar[dict[str, Any]]  # the methods that the policy computes
    _parameters: Any = None  # those of the policy: None, a number, or a tuple of several
    _learns_parts = True
    _averages: ClassVar[bool] = True  # whether its hypotheses may be averaged
    _averaged = False  # whether predictions are those of the average of all hypotheses
    _prior_of_merging: ClassVar[float] = 1.0  # the precision of the start beside that gained

    second_order: ClassVar[bool] = False
    """Whether weights have variances, which the rule is then given."""

    forgetting: float = 1.0
    """The factor by which a second-order step discounts the precision gained before it."""

    def __init_subclass__(
        cls,
        compiled: tuple[str, ...] | None = None,
        numba: tuple[str, ...] | None = None,
        **kwargs: Any,
    ) -> None:
        """Set the compiled policy that computes the rule, if there is one.

        It has the name of the class and takes the attributes `compiled`, or numba makes it of the
        rule, which reads the attributes `numba`. A subclass without these inherits it, unless it or
        a mixin overrides a method of the rule.
        """
        super().__init_subclass__(**kwargs)
        methods = {name: getattr(cls, name) for name in cls._rule_methods}
        if numba is not None:
            if cls._by_numba is None:
                raise TypeError(
                    "`numba=` is for rules of `TopDownLearner` and `PathLearner`, which are of "
                    f"numbers; {cls.__name__} has another one"
                )
            installed = importlib.util.find_spec("numba") is not None
            policy = PolicyByNumba(cls, numba) if installed else None
            cls._parameters = property(policy.parameters) if policy else None
            cls._compiled_rule, cls._policy = methods, policy
        elif compiled is not None:
            if cls.__name__ not in policies:
                raise TypeError(
                    f"`compiled=` of {cls.__name__} needs a compiled policy of that name, and "
                    f"there are {', '.join(sorted(policies))}; add it to `linear` in "
                    "_core/native/bindings/linear.cpp, and install again"
                )
            cls._parameters = property(attrgetter(*compiled)) if compiled else None
            cls._compiled_rule, cls._policy = methods, policies[cls.__name__]
        elif cls._policy is not None and cls._compiled_rule != methods:
            cls._policy = None

    def __init__(
        self, taxonomy: TaxonomyLike = None, dtype: str = "float64", intercept: float = 0.0
    ) -> None:
        super().__init__(taxonomy)
        check(dtype in ("float64", "float32"), "dtype", dtype, '"float64" or "float32"')
        check_intercept(intercept)
        self.dtype = dtype
        self.intercept = intercept
        self._state = self._empty_state(self._labels)

    def _empty_state(self, labels: Labels) -> LinearState:
        planes = 2 if self.second_order else 1
        parameters = float(self.intercept), self.dtype, planes, self._scoring
        return LinearState(labels, [], *parameters)

    weights: property = explanation.weights
    intercepts: property = explanation.intercepts
    _contributions = explanation.contributions
    _features: Any = property(attrgetter("_state.features"))

    def _learn(self, x: Mapping[Any, Any], y: Any, w: float) -> None:
        if self._policy is None or (isinstance(y, PARTS) and self._scoring == "paths"):
            self._move(x, w, self._moves(x, y, w))
        else:
            self._policy.learn_one(self._state, x, y, w, self._parameters)

    def _grow(self, taxonomy: Taxonomy, x: Any, y: Any, w: float) -> None:
        self._check(x, w)
        if self._policy is None or (isinstance(y, PARTS) and self._scoring == "paths"):
            with self._knowing(taxonomy):
                moves = self._moves(x, y, w)
            self._move(x, w, moves, taxonomy)
        else:
            self._policy.learn_one(self._state, x, y, w, self._parameters, taxonomy)

    @abc.abstractmethod
    def _moves(self, x: Mapping[Any, Any], y: Any, w: float) -> Moves:
        """What is learned from an example by the rule of the class: all that may raise.

        Returns the nodes that have an example; the weight vectors that move along x; their steps;
        and their confidences, if they have variances.
        """

    def _move(self, x: Any, w: float, moves: Moves, taxonomy: Taxonomy | None = None) -> None:
        forgetting = float(self.forgetting)
        self._state.learn(x, w, *moves, forgetting=forgetting, taxonomy=taxonomy)

    def _vector_scores(self, vector: Vector) -> Floats:
        """The score of each weight vector of the last hypothesis."""
        return self._state.scores(vector, n_nodes=len(self._taxonomy))

    def _in_slices(self, X: Batch) -> bool:
        return self._policy is not None

    def _learn_slice(self, X: Batch, y: Any) -> None:
        vectors = Vectors(self._features, X)
        try:
            while (n := vectors.n_learned) < X.n:
                self._policy.learn_many(self._state, vectors, y[n:], self._parameters, SECONDS)
        finally:
            X.n_learned = vectors.n_learned

    def _weights(self, nodes: Iterable[int]) -> Iterator[Floats]:
        """The weight vector of each node, or the average of its hypotheses."""
        columns = (self._state.vectors * v for v in nodes)
        return (self._scale * self._state.column(v, self._averaged) for v in columns)

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        return self._state.scores(x, self._averaged)

    def _scores_many(self, X: Batch) -> Floats:
        if pays(self, X):
            return next(score_blocks(self, X, X.n))
        return self._state.scores_many(Vectors(self._features, X), self._averaged)

    def _rename(self, labels: Labels) -> None:
        self._state = LinearState(labels, *self._state.saved()[1:])

    def _edit(self, edit: Edit, labels: Labels) -> None:
        _, features, *parameters, n, rows, average, learned = self._state.saved()
        w, *s = matrices(rows, self._state.vectors * len(edit.before))
        edited = self._edited(w, *s, edit=edit)
        if average is not None:
            from_first_round, m, since, begun, updates = average
            (u,) = matrices(updates, w.shape[1])
            u.resize(w.shape)
            mean, *_ = self._edited(w - u.multiply(1.0 / (m + 1.0 - since)).tocsc(), *s, edit=edit)
            first, new = edit._first, edit._first < 0
            since = np.where(new, 0.0 if from_first_round else m, since[first])
            begun = np.where(new, from_first_round, begun[first])
            updates = rows_of([(edited[0] - mean).multiply(m + 1.0 - since).tocsc()], self.dtype)
            average = from_first_round, m, since, begun, updates
        state = *parameters, n, rows_of(edited, self.dtype), average, learned
        self._state = LinearState(labels, features, *state)

    def _edited(self, w: Matrix, s: Matrix = None, *, edit: Edit) -> list[Matrix]:
        """The weights after an edit and, if there are any, the variances less 1."""
        raise NotImplementedError

    def _forget(self, nodes: Nodes) -> None:
        self._state.forget(nodes)

    def _start_anew(self) -> None:
        from_first_round = self._state.from_first_round
        super()._start_anew()
        if from_first_round is not None:
            self._start_average(from_first_round)

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        self._state.add_nodes(len(after))

    def _check(self, x: Mapping[Any, Any], w: float = 1.0) -> None:
        self._state.find(x)

    def _start_average(self, from_first_round: bool) -> None:
        """Begin to average the hypotheses, and to predict by the average."""
        self._averaged = True
        self._state.start_average(from_first_round)


def pays(model: Any, X: Batch) -> bool:
    """Whether the scores of a batch should be computed by matrix products.

    A product sums in another order, so its scores differ from those of single rows by rounding
    errors. Small batches, which would not be faster, keep the order of single rows.
    """
    cells = len(X.names) * len(model._taxonomy)
    size = np.dtype(model.dtype).itemsize
    return (
        X.columns is None
        and X.n >= FEW
        and X.n * cells >= SMALL
        and cells * size <= SPARSE * model._state.n_bytes
        and X.most_norm2 <= model._features.most_norm2
    )


def score_blocks(model: Any, X: Batch, rows: int | None = None) -> Iterator[Floats]:
    """The scores of all nodes, (nodes, rows), in blocks of this many rows."""
    state, columns = model._state, Vectors(model._features, X)
    weights = state.column_weights(columns, model._averaged)
    constant = state.scores({}, model._averaged)  # the intercepts
    rows = rows or max(FEW, BLOCK // len(model._taxonomy))
    for first in range(0, X.n, rows):
        x = X.values[first : first + rows].astype(weights.dtype, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = (weights.T @ x.T).astype(np.float64, copy=False)
        tiny = np.einsum("ij,ij->i", x, x) < SMALLEST_NORM2
        if tiny.any():
            scores[:, tiny] = 0.0
        scores += constant[:, None]
        yield scores
