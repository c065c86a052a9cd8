from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from river import base, drift

from .._backend import trained_nodes
from ..base.wrapper import ModelWrapper, check_model
from ..taxonomy import Label, NodeMapping, Taxonomy

__all__ = ["BranchReset"]

Mask = NDArray[np.bool_]

# Of River's detectors the one that, on the streams of examples/benchmarks/drift.py, gave no false
# alarm and was as quick as any.
_default: Any = drift.binary.HDDMA


class BranchReset(ModelWrapper, base.MultiLabelClassifier, base.Classifier):
    """A model that starts anew in the branch where the stream has changed, and only there.

    Every node has a drift detector, which sees whether the model was right about the node before it
    learned: 0 or 1, for each example in which the node was asked rightly, its parents being on in
    the answer as in the truth. So what goes wrong above a node is no mistake of its own. When a
    detector gives alarm, the model forgets what it has learned at that node and all that is below
    it, as by its `forget`; the detectors there are new ones, too. Everything elsewhere stays as it
    is, to the last bit (where siblings share a system of least squares, up to rounding). As long as
    there is no alarm, the answers are those of the model alone.

    With labels of one topic, what is on is the path of the label.

    Parameters
    ----------
    model
        A model in a taxonomy that has `forget`, of one label or of several, or a pipeline that ends
        in one: all of `linear_model` and `probabilistic`, those of `kernel` but for `HRLS` and
        `SHRLS`, and those of `decision` around them.
    detector
        A detector of River's, of which each node gets a clone; it should give alarm when mistakes
        become more, not when they become less. `None` for `river.drift.binary.HDDM_A()`.

    Attributes
    ----------
    drifts_detected
        A list of the resets so far: `(step, label)`, steps counted from 0.

    Raises
    ------
    TypeError
        If `model` cannot forget, or `detector` is none.

    Notes
    -----
    Learning takes one prediction of the model, O(nodes) and an update of each detector that was
    asked, besides what the model takes; `HDDM_A` is a slow one, and River's `drift.binary.DDM` a
    faster one with some false alarms. A reset takes O(the numbers of the whole model).

    A detector bounds its false alarms for each node, and in a large taxonomy there are many:
    `HDDM_A(drift_confidence=...)` makes them rarer. River's `ADWIN` gives alarm when mistakes
    become less, too, which would reset a node for learning.

    A learner that unlearns quickly, as H-PERC and Hieron do, gains nothing; one that gives all of
    the past the same say gains most. `examples/benchmarks/drift.py` says how much. With weights
    that start anew at the node alone, and not below it, losses fell more slowly there.

    Examples
    --------

    In the branch "2" labels change places at step 1,000. The mistakes among 1,000 examples before
    and 1,000 after it, elsewhere and in the branch, of `AveragedHieron` without and with resets:

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
    [72, 18] [75, 419]
    [72, 18] [75, 119]

    >>> resets.drifts_detected[:3]
    [(1035, '2.1.1'), (1037, '2.2.1'), (1051, '2.1.2')]

    """

    def __init__(self, model: Any, detector: Any = None) -> None:
        check_model(model, "forget")
        if detector is not None and not (
            hasattr(detector, "drift_detected") and callable(getattr(detector, "clone", None))
        ):
            raise TypeError(
                "`detector` must be a drift detector of River's, e.g. drift.binary.DDM(), got "
                f"{detector!r}"
            )
        super().__init__(model)
        self.detector = detector
        self.drifts_detected: list[tuple[int, Label]] = []
        self._detectors: dict[Label, Any] = {}
        self._step = 0

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from .. import linear_model

        yield {"model": linear_model.HPerceptron()}

    def learn_one(self, x: dict[Any, Any], y: Any, **kwargs: Any) -> None:
        """Learn from one example, after a look at what the model would have said.

        Parameters
        ----------
        x
            A dictionary of features.
        y
            What the model learns from.

        """
        if isinstance(y, Iterator):  # it can be walked only once
            y = list(y)
        before, answer = self._taxonomy, self.model.predict_one(x)
        self.model.learn_one(x, y, **kwargs)  # refuses what is wrong before anything is counted
        for label in self._alarms(self._on(y), self._on(answer), before):
            if label in self._detectors:  # else it has been forgotten with a node above
                self.forget(label)
                self.drifts_detected.append((self._step, label))
        self._step += 1

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The model's answer.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.model.predict_one(x, **kwargs)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The model's probabilities.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return self.model.predict_proba_one(x, **kwargs)

    def score_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Label, float]:
        """The model's scores.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        scores: dict[Label, float] = self.model.score_one(x, **kwargs)
        return scores

    def _remap(self, change: NodeMapping) -> None:
        old, detectors = change.before.nodes, self._detectors
        self._detectors = {  # of nodes that are merged none fits
            label: detectors[old[sources[0]]]
            for label, sources in zip(change.after.nodes, change.sources, strict=True)
            if len(sources) == 1 and old[sources[0]] in detectors
        }

    def _alarms(self, on: Mask, said: Mask, before: Taxonomy) -> list[Label]:
        """Let the detectors of all nodes that were asked see whether they erred; who gives alarm.

        From the top down. A label that is new to an open taxonomy was not there to be asked.
        """
        taxonomy = self._taxonomy
        alarms = []
        for v in trained_nodes(on & said, taxonomy.arrays).tolist():
            label = taxonomy.nodes[v]
            if label in before:
                if label not in self._detectors:
                    self._detectors[label] = (self.detector or _default()).clone()
                detector = self._detectors[label]
                detector.update(int(on[v] != said[v]))
                if detector.drift_detected:
                    alarms.append(label)
        return alarms

    def _on(self, y: Any) -> Mask:
        """The nodes that are on, the root among them; of a single label, those on its path."""
        mask: Mask = self._taxonomy.multilabel(
            [y] if isinstance(self._last, base.Classifier) else y
        )
        return mask
