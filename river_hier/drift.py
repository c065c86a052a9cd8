"""Concept drift: models that are reset only in the branches where the stream has changed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base, drift

from . import linear_model
from ._core import Nodes, closure_of
from .base.checks import check_integer
from .base.wrapper import ModelWrapper, check_model
from .taxonomy import Edit, Label, closure_mask

__all__ = ["BranchReset"]


Mask = NDArray[np.bool_]

# The River detector that was among the fastest on the streams of examples/benchmarks/drift.py, and
# raised no false alarm there.
_default: Any = drift.binary.HDDMA


class BranchReset(ModelWrapper):
    """Reset a branch of the model when the stream drifts in it, and only that branch.

    Every inner node has a drift detector, which is updated with 0 or 1: whether the model chose
    wrong children of the node before it learned. Only examples count in which the node is on both
    in the prediction and in the truth, so mistakes above a node are not its own. The first
    `min_age` examples of a label do not count, as what is new is no drift. When a detector detects
    drift, the model forgets what it has learned below that node, by `forget`, and the detectors
    there are replaced. The rest of the model does not change (up to rounding).

    Parameters
    ----------
    model
        A model in a taxonomy with `forget`, single-label or multilabel, or a pipeline that ends in
        one: those of `linear_model`, `probabilistic` and `kernel` (except `HRLS` and `SHRLS`
        there), and the wrappers of `decision` around them.
    detector
        A drift detector of River, cloned for each inner node, that detects increases of the error
        rate, and no decreases. `None` for `river.drift.binary.HDDMA()`.
    min_age
        The number of examples for which a label is new.

    Attributes
    ----------
    drifts_detected
        A list of the resets so far: `(step, label)` of the node above, with steps counted from 0.

    Notes
    -----
    On top of the model, learning takes one prediction, O(nodes) time, and one update of the
    detector of each visited node. `HDDMA` is slow; River's `drift.binary.DDM` is faster, with some
    false alarms. `ADWIN` also detects decreases, so it would reset nodes because they have learned.
    A reset takes time proportional to the size of the whole model. Learners that adapt quickly,
    such as H-PERC and Hieron, gain nothing; those that weigh all past examples equally gain most.

    Examples
    --------

    Labels are swapped in the branch "2" at step 1,000. The mistakes in the 1,000 examples before
    and after, first elsewhere and then in the branch, without and with resets:

    >>> from river_hier import drift, linear_model
    >>> from river_hier.datasets import synth

    >>> steady = synth.PrototypeTree(branching=2, depth=3, noise=0.04, seed=42)
    >>> stream = synth.SubtreeDrift(steady, drift_in="2", drift_at=1000)
    >>> alone = linear_model.AveragedHieron(stream.taxonomy)
    >>> resets = drift.BranchReset(linear_model.AveragedHieron(stream.taxonomy))

    >>> for model in (alone, resets):
    ...     mistakes = {False: [0, 0], True: [0, 0]}
    ...     for step, (x, y) in enumerate(stream.take(2000)):
    ...         mistakes[y.startswith("2")][step // 1000] += model.predict_one(x) != y
    ...         model.learn_one(x, y)
    ...     print(mistakes[False], mistakes[True])
    [73, 18] [72, 419]
    [73, 18] [72, 110]
    """

    def __init__(self, model: Any, detector: Any = None, min_age: int = 10) -> None:
        check_model(model, "forget")
        detectors = base.DriftDetector | base.BinaryDriftDetector
        if detector is not None and not isinstance(detector, detectors):
            raise TypeError(
                "`detector` must be a drift detector of River, e.g. drift.binary.DDM(), got "
                f"{detector!r}"
            )
        super().__init__(model)
        check_integer("min_age", min_age, at_least=0)
        self.detector = detector
        self.min_age = min_age
        self.drifts_detected: list[tuple[int, Label]] = []
        self._detectors: dict[Label, Any] = {}
        self._step = 0
        self._ages: dict[Label, int] = {}  # the number of examples of each node, up to `min_age`

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": linear_model.Hieron()}

    def _judge(self, answer: Any, y: Any) -> Any:
        return answer.nodes() if self._kind.several else answer.decided()

    def _adjust(self, seen: Any, y: Any, w: float) -> None:
        """If a detector raises, the model has learned the example."""
        step = self._step
        self._step += 1
        for v in self._drifted(*self._on(y, seen)):
            label = self._taxonomy.nodes[v]
            if self._detectors.pop(label, None):  # else it has been reset with a node above it
                for child in self._taxonomy.children(label):
                    self.forget(child)
                self.drifts_detected.append((step, label))

    def _edit(self, edit: Edit) -> None:
        # Of merged nodes, the first one's.
        first = {edit.before.nodes[u] for u in edit._first.tolist() if u >= 0}
        for state in (self._detectors, self._ages):
            kept = ((label, part) for label, part in state.items() if label in first)
            renamed = {edit.labels.get(label, label): part for label, part in kept}
            state.clear()
            state.update(renamed)

    def _forget(self, nodes: Nodes) -> None:
        for v in nodes.tolist():
            self._detectors.pop(self._taxonomy.nodes[v], None)

    def _drifted(self, on: Mask, predicted: Mask) -> list[int]:
        """Update the detectors of the visited nodes; those with drift, from the top down."""
        t, drifted = self._taxonomy, []
        young = False
        for label in (t.nodes[v] for v in np.flatnonzero(on)):
            if (age := self._ages.get(label, 0)) < self.min_age:
                self._ages[label] = age + 1
                young = True
        if young:
            return []
        wrong = {p for v in np.flatnonzero(on != predicted) for p in t._arrays.parents[v]}
        for v in np.flatnonzero(on & predicted).tolist():
            if t._arrays.children_of(v):
                if (label := t.nodes[v]) not in self._detectors:
                    self._detectors[label] = (self.detector or _default()).clone()
                detector = self._detectors[label]
                detector.update(int(v in wrong))
                if detector.drift_detected:
                    drifted.append(v)
        return drifted

    def _on(self, y: Any, predicted: Any) -> tuple[Mask, Mask]:
        """The nodes that are truly on and those that were predicted, both with the root."""
        t, mask = self._taxonomy, np.zeros(len(self._taxonomy), dtype=bool)
        if not self._kind.several:
            y = [y]
            predicted = [] if predicted is None else closure_of(predicted, t._arrays)
        mask[[0, *predicted]] = True
        return closure_mask(t, y), mask
