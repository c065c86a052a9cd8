"""Ensembles: several models whose probabilities are combined, with weights learned online."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np
from river import base, compose

from ._core import (
    Batch,
    Examples,
    Nodes,
    member_probabilities,
    pool_probabilities,
    pool_scores,
    pool_step,
    repeats,
    softmax,
)
from ._core.features import SMALLEST_NORM2, by_name, read
from .base.answer import (
    LabelAnswer,
    LabelRows,
    SetAnswer,
    SetRows,
    Unseen,
    answer_of,
    answers_of,
    is_ours,
    reads_anything,
    taxonomy_of,
)
from .base.checks import checked_weight
from .base.classifiers import cloned, is_multilabel, last_step, last_step_and_input, shown
from .base.explanation import Floats
from .base.predictor import open_for_river
from .base.targets import read_label, whole
from .base.wrapper import ModelWrapper, check_model, check_one, learns_parts
from .feature_extraction import Embedding, RandomFourierFeatures, TextViews
from .forest import ExtraTrees
from .linear_model import PathSoftmax
from .probabilistic import DiscriminantNeighbors, LinearDiscriminant, NewtonSoftmax
from .taxonomy import Edit, Evidence, Taxonomy, TaxonomyLike, closure_mask
from .taxonomy.errors import is_missing, short

__all__ = ["DensePool", "LogarithmicPool", "make_views"]

MEMORY = 0.999  # the factor by which a step multiplies the precision of the coefficients
BLOCK = 64  # rows that `DensePool` predicts and learns at once
MOST = 3.0  # deviations; a value that is farther from the mean counts as so far


class LogarithmicPool(ModelWrapper):
    r"""Combine the probabilities of models, with coefficients learned from the stream.

    For single labels, the probability of label v is

    $$p_v \propto \prod_m p_{m v}^{\beta_m},$$

    where $p_{m v}$ is that of model m; for multilabels, the log-odds of each node are
    $\sum_m \beta_m \log \frac{p_{m v}}{1 - p_{m v}}$. The coefficient of a model is its weight and
    its temperature in one: a model that is too sure of itself gets a smaller one. Before a model
    learns an example, it predicts it, and the coefficients take a Newton step on the log loss of
    the pool: with its gradient g and Hessian H for the example,

    $$A \leftarrow \gamma A + (1 - \gamma) I + H, \qquad
    \beta \leftarrow \max\Bigl(\beta - \frac{A^{-1} g}{\max(1, \sqrt{g^T A^{-1} g})}, 0\Bigr),$$

    from $A = I$ and $\beta_m = 1 / M$. The root is the length of the step in the norm of A; where
    the pool is sure and wrong, H is nearly 0, and the step would be too long. With
    $\gamma = 0.999$ the coefficients follow models that improve at different rates.

    Models whose errors differ gain most: a linear one and nearest neighbours, words and characters,
    several values of a parameter.

    Parameters
    ----------
    models
        Models in the same taxonomy, all multilabel or all single-label, with probabilities, or
        pipelines that end in one. They must not share objects.

    Attributes
    ----------
    coefficients
        The $\beta_m$ of the models, as an array.

    Notes
    -----
    A step takes a prediction and a step of each model, and O(M² nodes). Probabilities below 1e-6
    count as 1e-6. The first example of a label, of which no model knows anything, does not change
    the coefficients. From a label `Below` a node those models learn that can. `score_one` returns
    log-odds or, of one label, log-probabilities up to a constant.

    Logarithmic opinion pools are due to [^1]; the coefficients are those of a logistic regression
    on the logarithms of the probabilities, also known as stacking [^2].

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import ensemble, linear_model, metrics, probabilistic
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> t = stream.taxonomy
    >>> models = [linear_model.PathSoftmax(t), probabilistic.DiscriminantNeighbors(t, 8)]
    >>> for model in (*models, ensemble.LogarithmicPool([m.clone() for m in models])):
    ...     error = metrics.TreeInducedError(t)
    ...     print(evaluate.progressive_val_score(stream.take(1000), model, error))
    TreeInducedError: 1.213
    TreeInducedError: 1.483
    TreeInducedError: 1.204

    >>> model.coefficients.round(2)
    array([0.87, 0.08])

    References
    ----------
    [^1]: [Genest, C. and Zidek, J. V., 1986. Combining probability distributions: a critique and an
        annotated bibliography. Statistical Science, 1(1), pp. 114-135.](
        https://doi.org/10.1214/ss/1177013825)
    [^2]: [Wolpert, D. H., 1992. Stacked generalization. Neural Networks, 5(2), pp. 241-259.](
        https://doi.org/10.1016/S0893-6080(05)80023-1)
    """

    model: Any
    _coefficients: Floats

    def __str__(self) -> str:  # that of a wrapper names the first model alone
        return type(self).__name__

    def __init__(self, models: Sequence[Any]) -> None:
        self.models: list[Any] = list(models)
        if not self.models:
            raise ValueError("`models` must have at least one model, got []")
        for model in self.models:
            check_model(model, "learn_one", "predict_proba_one")
        first = last_step(self.models[0])
        for model in map(last_step, self.models[1:]):
            if is_multilabel(model) != is_multilabel(first):
                raise TypeError(
                    "`models` must all predict multilabels, or all of them single labels, got "
                    f"{shown(first)} and {shown(model)}"
                )
            if model.taxonomy != first.taxonomy:
                raise ValueError(
                    f"`models` must have the same taxonomy, got {short(first.taxonomy)} and "
                    f"{short(model.taxonomy)}"
                )
        parts = [id(part) for part in parts_of(self.models)]
        if len(set(parts)) < len(parts):
            raise ValueError(
                "`models` must be separate, but two of them have the same object inside: clone it"
            )
        super().__init__(self.models[0])
        self._coefficients = np.full(len(self.models), 1.0 / len(self.models))
        self._precision = np.eye(len(self.models))
        self._known: set[int] = set()  # nodes that the models have learned

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"models": [PathSoftmax(), LinearDiscriminant()]}

    @property
    def _of_pipeline(self) -> bool:
        return any(map(reads_anything, self.models))

    @property
    def coefficients(self) -> Floats:
        """The coefficient of each model."""
        return self._coefficients.copy()

    def clone(self, new_params: Any = None, include_attributes: bool = False) -> Self:
        """Return a pool of untrained models with the same parameters; see River's `clone`."""
        params = dict(new_params or {})
        if not include_attributes and params.get("models", self.models) is self.models:
            params["models"] = [model.clone() for model in self.models]  # River would copy them
        return cloned(self, params, include_attributes)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0, **kwargs: Any) -> None:
        """Learn from one example, after all models have predicted it.

        The arguments are those of the models. An example of weight 0 changes nothing.
        """
        if w != 1.0 and not (w := checked_weight(w)):
            return
        if isinstance(y, Iterator):  # it is needed several times
            y = list(y)
        if w != 1.0:
            kwargs["w"] = w
        inputs = [last_step_and_input(model, x) for model in self.models]
        learners = self._learners(y := whole(self, y))
        for model, (last, read_by_last) in zip(self.models, inputs, strict=True):
            if model in learners and is_ours(last):  # before any of them learns
                last._check_one(read_by_last, y, w)
        judged, before = not isinstance(y, Evidence) and not repeats(), self._taxonomy
        members = self._members_of(answer_of(*each) for each in inputs) if judged else None
        for model in learners:
            model.learn_one(x, y, **kwargs)
        if len(learners) < len(self.models):  # nodes have the same numbers in all of them
            taxonomy = taxonomy_of(learners[0])
            for model in self.models:
                if len(taxonomy_of(model)) < len(taxonomy):
                    last_step(model)._extend(taxonomy, unseen=False)
        if members is not None:
            self._steps(members, [y], [w], before)

    def _learners(self, y: Any) -> list[Any]:
        """The models that learn from y: of a part of a label those that can, if any."""
        if not isinstance(y, Evidence):
            return self.models
        return list(filter(learns_parts, self.models)) or self.models

    _learns_parts: Any = property(lambda self: any(map(learns_parts, self.models)))

    def _steps(self, members: Floats, ys: Any, weights: Iterable[float], before: Taxonomy) -> None:
        """Take a step for each example that the models have learned since they predicted it."""
        if self._kind.several:
            nodes = [np.flatnonzero(closure_mask(self._taxonomy, y)).tolist() for y in ys]
        else:
            nodes = [[read_label(self._last, y)[1]] for y in ys]
        for i, (on, w) in enumerate(zip(nodes, weights, strict=True)):
            if self._taxonomy is before and self._known.issuperset(on):
                self._step(members[:, i], on, w)
        self._known.update(*nodes)

    def _step(self, members: Floats, on: list[int], w: float) -> None:
        """Take a Newton step, given the probabilities of the models, (models, nodes)."""
        several = self._kind.several
        never = hidden(self._never_predicted, several, members.shape[-1])
        self._coefficients, self._precision = pool_step(
            np.ascontiguousarray(members),
            *(never, on, w, MEMORY, several, self._coefficients, self._precision),
        )

    def _members_of(self, answers: Iterable[Any]) -> Floats:
        """The probabilities of the models, (models, 1, nodes)."""
        members = [answer.p() for answer in answers]
        if any(p is None for p in members):
            nothing = np.zeros(len(self._taxonomy))
            members = [nothing if p is None else p for p in members]
        return member_probabilities(self._labels, members)

    def _members_one(self, x: Any) -> Floats:
        return self._members_of(answer_of(model, x) for model in self.models)

    def _members(self, X: Batch) -> Floats:
        """The probabilities of the models, (models, rows, nodes)."""
        if isinstance(X, Examples):  # members read different parts of them
            none = np.zeros((len(self.models), 0, len(self._taxonomy)))
            return np.concatenate([none, *map(self._members_one, X)], axis=1)
        return np.stack([answers_of(model, X).p() for model in self.models])

    def _answer(self, x: Any) -> Any:
        answers = [answer_of(model, x) for model in self.models]
        return self._pooled(answers[0], self._members_of(answers))

    def _pooled(self, like: Any, members: Floats) -> Any:
        """The pool's answer, given one of the models' and their probabilities for one example."""
        scores = pool_scores(members, self._coefficients, like.several)
        never = hidden(like.never, like.several, scores.shape[-1])
        (p,) = pool_probabilities(scores, never, like.several)
        answer = SetAnswer if like.several else LabelAnswer
        return answer(like.labels, scores[0], p, None, like.first, like.never)

    def _answers(self, X: Batch) -> Any:
        several, never, members = self._kind.several, self._never_predicted, self._members(X)
        scores = pool_scores(members, self._coefficients, several)
        p = pool_probabilities(scores, hidden(never, several, scores.shape[-1]), several)
        rows = SetRows if several else LabelRows
        return rows(self._labels, scores.T, p, first=self._first_label, never=never)

    _inside: Any = property(lambda self: list(map(last_step, self.models)))

    def _edit(self, edit: Edit) -> None:
        self._known = set(edit._nodes[list(self._known)].tolist())

    def _forget(self, nodes: Nodes) -> None:
        self._known.difference_update(nodes.tolist())

    def _check_one(self, x: Any, y: Any, w: float) -> None:
        for model in self._learners(y):
            check_one(model, x, y, w)


def make_views(
    taxonomy: TaxonomyLike = None,
    texts: Sequence[Any] = (),
    categories: Sequence[Any] = (),
    numbers: Sequence[Any] = (),
    encoder: Callable[[Sequence[str]], Any] | bool | None = None,
) -> LogarithmicPool:
    """A pool with a model for each view of an example: its texts, its categories, its numbers.

    Each text is learned by `TextViews() | PathSoftmax(margin=1)`, and with an encoder by
    `Embedding() | PathSoftmax()` too; the categories by a `PathSoftmax` of their own, and the
    numbers by `LinearDiscriminant`, so that the features of one view need not have the scale of
    another's. A view that carries nothing costs hardly any accuracy.

    Parameters
    ----------
    taxonomy
        The taxonomy of the models, as in `PathSoftmax`.
    texts
        The names of the features with texts; `[None]` if x is the text itself.
    categories
        The names of those whose values, of any type, are equal or not. Some may be missing in an x.
    numbers
        The names of those with numbers. Some may be missing in an x.
    encoder
        A function from texts to rows, as in `feature_extraction.Embedding`; `True` is the small one
        that `pip install 'river-hier[encoder]'` installs.

    Returns
    -------
    The pool. Its `models` and `coefficients` are in the order of these names: one for each text,
    and one more with an encoder, one of all categories, and one of all numbers.

    Examples
    --------
    >>> from river_hier import ensemble

    >>> model = ensemble.make_views(texts=["title"], categories=["brand"])
    >>> for title, brand, y in [("red shoe", "A", "shoes"), ("blue shirt", "B", "shirts")] * 5:
    ...     model.learn_one({"title": title, "brand": brand}, y)
    >>> model.predict_proba_one({"title": "green", "brand": "A"})["shoes"]
    0.959
    """
    for names in (texts, categories, numbers):
        if isinstance(names, str):
            raise TypeError(f"a view needs a list of names, got {names!r}; write [{names!r}]")
    models = list[Any]()
    for name in texts:
        models.append(TextViews(on=name) | PathSoftmax(taxonomy, margin=1.0))
        if encoder is not None and encoder is not False:
            rows = Embedding(name, None if encoder is True else encoder)
            models.append(rows | PathSoftmax(taxonomy))
    if categories:
        models.append(View(categories, indicators=True) | PathSoftmax(taxonomy))
    if numbers:
        models.append(View(numbers) | LinearDiscriminant(taxonomy))
    return LogarithmicPool(models)


class DensePool(LogarithmicPool):
    r"""The recommended model of dense features and single labels: a pool that needs no choices.

    It has five members: `LinearDiscriminant`, which is good after few examples; `NewtonSoftmax`
    behind random Fourier features of two widths, 0.5 and 1, which finds boundaries of any shape
    after many; `DiscriminantNeighbors`; and `forest.ExtraTrees`. The random
    features and the neighbours read features that are standardised by their mean and deviation so
    far, limited to three deviations, and divided by the root of their number.

    Parameters
    ----------
    taxonomy
        A tree; its nodes are the labels. `None` starts from an open flat taxonomy, to which labels
        are added under the root as they arrive. An `OpenTaxonomy` grows with labels that are paths.
    n_components
        The number of random Fourier features of each width, an even number.
    seed
        The seed of the random features and the trees.
    budget
        The number of the latest examples that the neighbours and the trees store and learn from.

    Notes
    -----
    With d features, m components, n nodes and b <= `budget` stored examples, a step and the memory
    take O(d² + m² + b d + n m): about 100 MB for 1,000 components and 100 features. `learn_many`
    predicts and learns blocks of 64 rows, whose features it scales alike, several times as fast as
    a loop of `learn_one`; its results are not equal to those of the loop.

    Examples
    --------
    >>> from river import evaluate
    >>> from river_hier import ensemble, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> model = ensemble.DensePool(stream.taxonomy, n_components=100)
    >>> error = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(1000), model, error)
    TreeInducedError: 1.045
    """

    _learns_parts = False

    def __init__(
        self,
        taxonomy: TaxonomyLike = None,
        n_components: int = 1_000,
        seed: int = 0,
        budget: int = 10_000,
    ) -> None:
        self.n_components = n_components
        self.seed = seed
        self.budget = budget
        self._wide, self._narrow = (
            RandomFourierFeatures(sigma, n_components, seed) for sigma in (1.0, 0.5)
        )
        self._scale = Scale()
        models = [kind(taxonomy) for kind in (LinearDiscriminant, NewtonSoftmax, NewtonSoftmax)]
        near = DiscriminantNeighbors(taxonomy, budget=budget)
        trees = ExtraTrees(taxonomy, budget=budget, seed=seed)
        super().__init__([*models, near, trees])

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"n_components": 20}

    def clone(self, new_params: Any = None, include_attributes: bool = False) -> Self:
        """Return a model with the same parameters, which has learned nothing; see River."""
        return cloned(self, new_params, include_attributes)

    @property
    def _features(self) -> Any:
        return self.models[0]._features

    @open_for_river
    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn from one example, as the members do. An example of weight 0 changes nothing."""
        if w != 1.0 and not (w := checked_weight(w)):
            return
        self._check_one(x, y, w)
        self._learn_rows(dense_row(x, w), [y])

    def _check_one(self, x: Any, y: Any, w: float) -> None:
        self.models[0]._check_one(x, y, w)
        for model in self.models[1:]:  # what they read of x is bounded
            model._check({}, w)

    def _learn_rows(self, X: Batch, ys: Any) -> None:
        while (first := X.n_learned) < X.n:
            part = X.part(first, min(first + BLOCK, X.n))
            y = ys[first : first + BLOCK]
            if not all(model._in_slices(part) for model in self.models):
                part = X.part(first, first + 1)
                self._check_one(part.row(0), y[0], part.weight(0))
            members, before = None if repeats() else self._members(part), self._taxonomy
            try:
                self.models[0]._learn_rows(part, y)
            finally:  # the rows before one that is refused are learned by all
                if part.n_learned:
                    learned = part.part(0, part.n_learned)
                    self._scale.learn(self._raw(learned), learned.all_weights)
                    for model, rows in zip(self.models[1:], self._views(learned)[1:], strict=True):
                        model._learn_rows(rows, y)
                X.n_learned = first + part.n_learned
            if members is not None:
                self._steps(members, y[: part.n], part.all_weights, before)

    def _answer(self, x: Any) -> Any:
        return self._pooled(self.models[0]._answer(x), self._members(dense_row(x)))

    def _members(self, X: Batch) -> Floats:
        views = zip(self.models, self._views(X), strict=True)
        of_models = [model._scores_many(rows) for model, rows in views]
        n = min(map(len, of_models))  # another thread may add nodes
        scores = np.stack([scores[:n] for scores in of_models])
        scores[:, [v for v in self.models[0]._never_predicted if v < n]] = -np.inf
        return softmax(scores, axis=1).swapaxes(1, 2)

    def _raw(self, X: Batch) -> Floats:
        """The known features of each row, (rows, coordinates)."""
        discriminant = self.models[0]
        return discriminant._matrix(X, discriminant._d)

    def _views(self, X: Batch) -> list[Batch]:
        """What each member reads of the rows."""
        scaled = self._scale.scaled(self._raw(X))
        names = tuple(self.models[0]._features.names())  # their order does not matter
        known = scaled[:, : len(names)]
        wide, narrow = (rff._features(known, names) for rff in (self._wide, self._narrow))
        read = [
            Batch(list(range(rows.shape[1])), rows, weights=X.weights)
            for rows in (wide, narrow, scaled)
        ]
        return [X, *read, X]


def hidden(never: Unseen, several: bool, n: int) -> list[int]:
    """Those of n nodes that are never predicted; of several labels none before any example."""
    return [] if several and len(never) == n - 1 else list(never)


class View(base.Transformer):
    """Those of some features that x has; or indicators of their values, of norm 1."""

    def __init__(self, names: Sequence[Any], indicators: bool = False) -> None:
        self.names = names
        self.indicators = indicators

    def transform_one(self, x: dict[Any, Any]) -> dict[Any, Any]:
        present = {name: x[name] for name in self.names if not is_missing(x.get(name))}
        if not self.indicators:
            return present
        return {(name, value): len(present) ** -0.5 for name, value in present.items()}


class Scale:
    """The mean and the deviation of each feature so far."""

    def __init__(self) -> None:
        self.n: float = 0.0
        self.mean: Floats = np.zeros(0)
        self.squares: Floats = np.zeros(0)  # sums of squared differences from the mean

    def learn(self, X: Floats, w: Any) -> None:
        """Count some rows, with their weights; earlier ones had 0 in new columns."""
        new = (0, X.shape[1] - len(self.mean))
        before, squares = np.pad(self.mean, new), np.pad(self.squares, new)
        total = self.n + w.sum()
        mean = w @ X / w.sum()
        off = X - mean
        squares += w @ off**2 + self.n * w.sum() / total * (mean - before) ** 2
        self.mean = before + (mean - before) * w.sum() / total
        self.n, self.squares = total, squares

    def scaled(self, X: Floats) -> Floats:
        """The rows with a mean of 0 and an expected norm of at most 1; constant columns are 0."""
        varied = self.squares > SMALLEST_NORM2
        deviation = np.sqrt(self.squares / max(self.n, 1.0), where=varied, out=np.ones(len(varied)))
        scaled: Floats = np.where(varied, X[:, : len(varied)] - self.mean, 0.0) / deviation
        return np.clip(scaled, -MOST, MOST) / math.sqrt(max(varied.sum(), 1))


def dense_row(x: Any, w: float = 1.0) -> Batch:
    """One example as a matrix of one row."""
    values, _ = read(x := by_name(x))
    return Batch(list(x), values[None, :], weights=np.array([w], float))


def parts_of(models: Iterable[Any]) -> Iterator[Any]:
    """Models, and what is inside their pipelines and wrappers."""
    for model in models:
        yield model
        if isinstance(model, compose.Pipeline):
            yield from parts_of(model.steps.values())
        elif isinstance(model, LogarithmicPool):
            yield from parts_of(model.models)
        elif isinstance(model, ModelWrapper):
            yield from parts_of([model.model])
