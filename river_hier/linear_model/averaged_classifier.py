from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from .._core import Batch
from ..base.classifiers import shown
from ..base.explanation import Contribution, Floats
from ..base.single_label import SingleLabelModel
from ..taxonomy import Label, NodeMapping, Taxonomy
from .hieron import Hieron


def _shared(name: str) -> Any:
    """An attribute of the average and its inner model."""

    def get(self: Any) -> Any:
        return getattr(self._average, name)

    def put(self: Any, value: Any) -> None:
        setattr(self._average, name, value)
        setattr(self.model, name, value)

    return property(get, put)


class AveragedClassifier(SingleLabelModel):
    """The average of all hypotheses of a single-label learner, whose learning stays the same.

    The last hypothesis of an online learner depends heavily on its last mistakes, whose labels may
    be wrong. The average of all hypotheses, $w_1, \\dots, w_{m+1}$ after m examples, evens out such
    steps and has a lower error, unless the stream drifts. The average of a node starts again
    with its first example, as in `AveragedHieron`, so late classes are learned as fast as early
    ones.

    A step costs what a step of the model costs, plus O(features of x * updated nodes), or
    O(updated nodes) with a kernel; a prediction costs two predictions of the model. Memory is twice
    that of the model's weights or coefficients.

    Parameters
    ----------
    model
        A `Hieron` of `linear_model` or `kernel`, or a `PathLearner` of your own. Its current
        weights are the first hypothesis. It continues to learn inside the average; `last` returns a
        copy of it.

    Raises
    ------
    TypeError
        If `model` is neither.

    Notes
    -----
    This is the batch rule of the paper of 2005 [^1], which averages the hypotheses of
    online Hieron, as [^2] does for the perceptron. Online Hieron updates after mistakes only.
    `AveragedHieron`, the batch rule of 2004, averages as well, but updates on every example that
    falls short of its margin, against the label with the largest loss. Which of the two has the
    lower error depends on the data.

    Examples
    --------

    >>> from river import evaluate
    >>> from river_hier import linear_model, metrics
    >>> from river_hier.datasets import synth

    >>> stream = synth.PrototypeTree(branching=3, depth=3, noise=0.16, seed=42)
    >>> last = linear_model.Hieron(stream.taxonomy)
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), last, metric)
    TreeInducedError: 1.4865

    >>> model = linear_model.AveragedClassifier(linear_model.Hieron(stream.taxonomy))
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 1.225

    In the space of a kernel:

    >>> from river_hier import kernel

    >>> model = linear_model.AveragedClassifier(kernel.Hieron(stream.taxonomy, kernel.RBF(4.0)))
    >>> metric = metrics.TreeInducedError(stream.taxonomy)
    >>> evaluate.progressive_val_score(stream.take(2000), model, metric)
    TreeInducedError: 1.0535

    References
    ----------
    [^1]: [Dekel, O., Keshet, J. and Singer, Y., 2005. An online algorithm for hierarchical phoneme
        classification. In Machine Learning for Multimodal Interaction, pp. 146-158.](
        https://doi.org/10.1007/978-3-540-30568-2_13)
    [^2]: [Freund, Y. and Schapire, R. E., 1999. Large margin classification using the perceptron
        algorithm. Machine Learning, 37(3), pp. 277-296.](
        https://doi.org/10.1023/A:1007662407062)

    """

    def __init__(self, model: Any) -> None:
        # A pipeline is an instance of its last step's class.
        if not hasattr(type(model), "_start_average") or model._lag is not None:
            raise TypeError(
                "`model` must be a `Hieron` of linear_model or kernel, or another `PathLearner`, "
                f"whose weights move in steps, got {shown(model)}; put the average into the "
                "pipeline: `scaler | AveragedClassifier(model)`"
            )
        self.model = model
        # It shares all state with the model but the sum of i s_i: see `PathLearner`.
        self._average = copy.copy(model)
        self._average._start_average()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": Hieron()}

    @property
    def last(self) -> Any:
        """The last hypothesis $w_{m+1}$ without the average: a copy of the inner model."""
        self._check_shared()
        self._share()
        return copy.deepcopy(self.model)

    @property
    def weights(self) -> Any:
        """The average of the weights, `{label: {feature: weight}}`, if the model is linear."""
        return self._average.weights

    @property
    def intercepts(self) -> Any:
        """The average of the intercepts, `{label: number}`, if the model is linear."""
        return self._average.intercepts

    taxonomy: Any = _shared("taxonomy")
    _taxonomy: Any = _shared("_taxonomy")
    _labels: Any = _shared("_labels")

    def _check_shared(self) -> None:
        if self._average._taxonomy is not self.model._taxonomy:
            raise RuntimeError(
                "the model inside has learned new labels by itself, which its average lacks; "
                "let it learn through the average only, or start a new average of it"
            )

    def _share(self) -> None:
        """Give the inner model what the average has replaced."""
        state = vars(self._average).items()
        vars(self.model).update({k: v for k, v in state if k not in ("_lag", "_clocks")})

    def _learn_compiled(self, *example: Any) -> bool:
        self._check_shared()
        return bool(self._average._learn_compiled(*example))

    def _learn(self, *example: Any) -> None:
        self._check_shared()
        self._average._learn(*example)

    def _learn_many(self, *batch: Any) -> Iterator[int]:
        self._check_shared()
        yield from self._average._learn_many(*batch)

    def _take_over(self, learner: Any) -> None:
        super()._take_over(learner)
        self._share()

    @property
    def _may_refuse(self) -> bool:
        return bool(self._average._may_refuse)

    def _check_many(self, X: Batch) -> None:
        self._average._check_many(X)

    def _remap(self, change: NodeMapping) -> None:
        self._average._remap(change)
        self._share()

    def _add_nodes(self, before: int, after: Taxonomy) -> None:
        self._average._add_nodes(before, after)

    def _answer(self, x: Mapping[Any, Any]) -> Label:
        return self._average._answer(x)

    def _answers(self, X: Batch) -> NDArray[Any]:
        answers: NDArray[Any] = self._average._answers(X)
        return answers

    def _scores_one(self, x: Mapping[Any, Any]) -> Floats:
        scores: Floats = self._average._scores_one(x)
        return scores

    def _scores_many(self, X: Batch) -> Floats:
        scores: Floats = self._average._scores_many(X)
        return scores

    def _contributions(
        self, x: Mapping[Any, Any], nodes: Sequence[int]
    ) -> list[list[Contribution]]:
        found: list[list[Contribution]] = self._average._contributions(x, nodes)
        return found
