"""The label model of the H-RLS paper: linear probabilities at every node."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base
from river.datasets.base import MO_BINARY_CLF

from ..._core import Labels, labels_of
from ...base.answer import SetAnswer, connected_nodes
from ...base.checks import check_integer
from ...base.classifiers import SEVERAL
from ...base.predictor import Predictor, predict_labels_one
from ...taxonomy import Label, Taxonomy
from . import sampling
from .sampling import Floats

WEIGHTS, DRIFTED_WEIGHTS, EXAMPLES = range(3)  # purposes of the random numbers


class LinearLabels(sampling.Generator):
    r"""Multilabels drawn top-down, with the probability of each node linear in the features.

    The stochastic model of the H-RLS paper[^1], section 5. Each node $i$ but the root has a unit
    vector $u_i$. An $x$, drawn uniformly from the sphere of norm 1, has label $i$ with probability

    $$P(V_i = 1 \mid \textrm{parent on}, x) = \frac{1 + u_i^\top x}{2}$$

    if its parent is on, otherwise with probability 0. The stream is infinite; an example of $n$
    nodes and $d$ features takes $O(n d)$.

    The paper's $x$ are arbitrary and its taxonomy is a forest; here a node with several parents can
    be on only if all of them are. With drift, each $u_i$, or each in one branch, rotates at
    constant speed in a plane into another unit vector; all probabilities remain known.

    Parameters
    ----------
    taxonomy
        A tree or a DAG.
    n_features
        The number of features $d$, at least 2.
    seed
        The seed; without one, each object is a different stream, the same in each iteration.
    drift_at
        The step, counted from 0, at which the weights begin to change; by default never.
    drift_width
        The duration of the change in steps; 1 is an abrupt drift.
    drift_in
        The node that changes its weights, with all its descendants; by default the root.

    Examples
    --------
    >>> from river_hier import Taxonomy
    >>> from river_hier.datasets import synth

    >>> t = Taxonomy([("animal", "mammal"), ("animal", "bird"), ("mammal", "wolf")])
    >>> stream = synth.LinearLabels(t, n_features=3, seed=42)
    >>> for x, y in stream.take(2):
    ...     print(x, y)
    {0: -0.721869, 1: 0.615344, 2: 0.316631} {'mammal': False, 'bird': True, 'wolf': False}
    {0: -0.540151, 1: 0.315249, 2: -0.780291} {'mammal': True, 'bird': True, 'wolf': False}

    >>> stream.probabilities(x)
    {'mammal': 0.460956, 'bird': 0.722329, 'wolf': 0.679743}

    References
    ----------
    [^1]: [Cesa-Bianchi et al., 2006. JMLR 7.](https://www.jmlr.org/papers/v7/cesa-bianchi06a.html)
    """

    def __init__(
        self,
        taxonomy: Taxonomy,
        n_features: int = 10,
        seed: int | None = None,
        drift_at: int | None = None,
        drift_width: int = 1,
        drift_in: Label | None = None,
    ) -> None:
        super().__init__(taxonomy, seed, MO_BINARY_CLF, n_features)
        check_integer("n_features", n_features, at_least=2)  # a rotation needs a plane
        check_integer("drift_width", drift_width, at_least=1)
        if drift_at is not None:
            check_integer("drift_at", drift_at, at_least=0)
        elif drift_width > 1:
            raise ValueError(f"`drift_width` is {drift_width}, but there is no `drift_at`")
        elif drift_in is not None:
            raise ValueError(f"`drift_in` is {drift_in!r}, but there is no `drift_at`")
        top = taxonomy.root if drift_in is None else drift_in
        branch = taxonomy._arrays.branch(taxonomy.index(top))
        self.drift_at = drift_at
        self.drift_width = drift_width
        self.drift_in = drift_in
        shape = len(taxonomy) - 1, n_features
        before, after = (
            _unit(self._random(purpose).standard_normal(shape))
            for purpose in (WEIGHTS, DRIFTED_WEIGHTS)
        )
        drifting = np.isin(np.arange(1, len(taxonomy)), branch)
        cosine = (before * after).sum(axis=1, keepdims=True)
        # Row i is `cos(a) u_i + sin(a) direction_i`, where a grows from 0 to `angle_i`.
        self._u = before
        self._angle = np.where(drifting, np.arccos(np.clip(cosine[:, 0], -1, 1)), 0.0)
        self._direction = _unit(after - cosine * before)

    @property
    def weights(self) -> dict[Label, dict[int, float]]:
        """The unit vector of each node except the root, before any drift."""
        rows = (dict(enumerate(u_i)) for u_i in self._u.tolist())
        return dict(zip(self.taxonomy.nodes[1:], rows, strict=True))

    @property
    def reference(self) -> ReferenceClassifier:
        """The reference classifier."""
        return ReferenceClassifier(self)

    def scores(self, x: Mapping[Any, float], step: int = 0) -> dict[Label, float]:
        """`u_i . x` of each node except the root, at a step counted from 0."""
        row = np.array([[x.get(i, 0.0) for i in range(self.n_features)]])
        if not (norm := np.linalg.norm(row)) <= 1 + 1e-6:
            raise ValueError(f"x has norm {norm:.6g}; probabilities are known up to norm 1")
        scores = self._dot(row, np.array([step]))[0]
        return dict(zip(self.taxonomy.nodes[1:], scores.tolist(), strict=True))

    def probabilities(self, x: Mapping[Any, float], step: int = 0) -> dict[Label, float]:
        """`P(V_i = 1 | parents on)` of each node except the root, at a step counted from 0."""
        scores = self.scores(x, step)
        return {label: min(max((1 + s) / 2, 0.0), 1.0) for label, s in scores.items()}  # Eq. 3

    def _dot(self, X: Floats, steps: NDArray[np.intp]) -> Floats:
        """The product of each row x with each vector at its step; steps must not decrease."""
        scores: Floats = X @ self._u.T
        if self.drift_at is None or steps[-1] < self.drift_at:
            return scores
        progress = np.clip((steps + 1 - self.drift_at) / self.drift_width, 0, 1)
        angle = progress[:, None] * self._angle
        return np.cos(angle) * scores + np.sin(angle) * (X @ self._direction.T)

    def __iter__(self) -> Iterator[tuple[dict[int, float], dict[Label, bool]]]:
        rng = self._random(EXAMPLES)
        labels = self.taxonomy.nodes[1:]
        steps = np.arange(sampling.BLOCK)
        while True:
            X = _unit(rng.standard_normal((sampling.BLOCK, self.n_features)))
            p = (1 + self._dot(X, steps)) / 2  # Eq. 3
            on = rng.random(p.shape) < p
            for v, parents in enumerate(self.taxonomy._arrays.parents):
                for parent in parents:
                    if parent:  # the root is always on and has no column
                        on[:, v - 1] &= on[:, parent - 1]  # Eq. 2, from the root downwards
            for x, y in zip(X.tolist(), on.tolist(), strict=True):
                yield dict(enumerate(x)), dict(zip(labels, y, strict=True))
            steps += sampling.BLOCK


class ReferenceClassifier(Predictor, base.MultiLabelClassifier):
    """The reference classifier of a stream, against which regret is measured.

    A node is predicted on if its parents are and its true score is at least 0 (Eq. 4 of the paper
    of `LinearLabels`): the best decision at every node, but not always the least expected H-loss.
    It learns nothing. If the stream drifts, `at(step)` is the classifier for a step counted from 0;
    `evaluate.regret` and `iter_regret` ask it.
    """

    _kind = SEVERAL
    predict_labels_one = predict_labels_one

    def __init__(self, stream: LinearLabels, step: int | None = None) -> None:
        self.stream = stream
        self.step = step

    @property
    def taxonomy(self) -> Taxonomy:
        """The taxonomy of the stream."""
        return self.stream.taxonomy

    _taxonomy = taxonomy

    def at(self, step: int) -> ReferenceClassifier:
        """The reference classifier at a step of the stream; one of a given step stays the same."""
        return self if self.step is not None else ReferenceClassifier(self.stream, step)

    @property
    def _step(self) -> int:
        if self.step is None and self.stream.drift_at is not None:
            raise ValueError("the weights of the stream drift; ask `reference.at(step)`")
        return self.step or 0

    @property
    def _labels(self) -> Labels:
        return labels_of(self.taxonomy)

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Do nothing."""

    def score_one(self, x: dict[Any, Any]) -> dict[Label, float]:
        """Return the true score of every node except the root."""
        return self.stream.scores(x, self._step)

    def _answer(self, x: Any) -> SetAnswer:
        def own() -> list[int]:
            nodes = np.flatnonzero(scores >= 0.0).tolist()  # Eq. 4
            return connected_nodes(self.taxonomy, nodes, None)

        def p() -> Floats:
            return np.array([1.0, *(on[True] for on in self.predict_proba_one(x).values())])

        scores = np.array([-1.0, *self.score_one(dict(x)).values()])  # not the root
        return SetAnswer(self._labels, scores, p, own)

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Any, dict[bool, float]]:
        """Return the true marginal probability of every node except the root."""
        taxonomy = self.taxonomy
        given = self.stream.probabilities(x, self._step)
        y_pred = {}
        for label, p in given.items():
            p *= math.prod(given[above] for above in taxonomy.ancestors(label)[1:])  # Eq. 2
            y_pred[label] = {False: 1 - p, True: p}
        return y_pred


def _unit(rows: Floats) -> Floats:
    """The rows, scaled to norm 1."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
